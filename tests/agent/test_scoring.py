"""The scores of an iteration that has no reference."""

import pytest

from agent.scoring.iteration import iteration_scores
from agent.types import (
    Call,
    CallRole,
    Critique,
    ErrorKind,
    FinishReason,
    Issue,
    IssueSource,
    Iteration,
    IterationKind,
    Render,
    Score,
    Severity,
    Usage,
    Verdict,
)

GOOD = Render(ok=True, video="video.mp4", duration_s=4.5, wall_s=2.0)
BROKEN = Render(ok=False, error_kind=ErrorKind.PYTHON, message="NameError: Circel", wall_s=1.0)


def scores(render: Render | None, critique: Critique | None = None, calls: tuple[Call, ...] = ()) -> dict[str, Score]:
    iteration = Iteration(index=1, kind=IterationKind.WRITE, code="", render=render, critique=critique)
    return {score.name: score for score in iteration_scores(iteration, calls)}


def call(iteration: int, **usage: float) -> Call:
    return Call(
        role=CallRole.WRITE,
        iteration=iteration,
        messages=(),
        completion="",
        finish_reason=FinishReason.STOP,
        usage=Usage(**usage),
    )


def found(*severities: Severity) -> Critique:
    issues = tuple(
        Issue(kind="blank", severity=severity, source=IssueSource.PIXELS, message="x") for severity in severities
    )
    return Critique(verdict=Verdict.REPAIR, issues=issues)


def test_every_iteration_has_the_same_scores_in_the_same_order() -> None:
    names = (
        *("render_ok", "duration_s", "tokens", "seconds", "cost"),
        *("findings_error", "findings_warning", "findings_note"),
        *("drawn_share", "moving_share", "checks_true"),
    )
    for render in (GOOD, BROKEN, None):
        assert tuple(scores(render)) == names


@pytest.mark.parametrize(
    ("render", "value", "words"),
    [(GOOD, 1, ""), (BROKEN, 0, "python: NameError: Circel"), (None, None, "Nothing was rendered.")],
)
def test_whether_it_rendered_and_why_not(render: Render | None, value: float | None, words: str) -> None:
    assert scores(render)["render_ok"] == Score(name="render_ok", value=value, explanation=words)


def test_a_video_has_a_length_and_no_video_is_unscored_not_zero() -> None:
    assert scores(GOOD)["duration_s"].value == 4.5
    assert scores(BROKEN)["duration_s"] == Score(name="duration_s", value=None, explanation="There is no video.")


def test_what_was_used_is_that_of_its_own_calls_and_its_render() -> None:
    other = call(0, input_tokens=900, output_tokens=900, seconds=90, cost=9)
    own = call(1, input_tokens=100, output_tokens=20, seconds=1.5, cost=0.25)
    found = scores(GOOD, calls=(other, own, own))
    assert (found["tokens"].value, found["tokens"].explanation) == (240, "200 read, 40 written")
    assert (found["seconds"].value, found["cost"].value) == (5.0, 0.5)


def test_findings_are_counted_by_severity() -> None:
    counted = scores(GOOD, found(Severity.ERROR, Severity.NOTE, Severity.NOTE))
    assert [counted[f"findings_{name}"].value for name in ("error", "warning", "note")] == [1, 0, 2]


def test_what_was_not_looked_at_is_unscored_with_the_reason() -> None:
    for name in ("findings_error", "drawn_share", "moving_share", "checks_true"):
        score = scores(GOOD, critique=None)[name]
        assert score.value is None
        assert score.explanation.endswith(".")
