"""What can be said of an iteration in numbers when there is no reference to compare it with."""

from collections.abc import Iterator, Sequence

from agent.types import Call, Iteration, Score, Severity

# Scores that later parts of the product will compute, and why they are not there.
UNSCORED = {
    "drawn_share": "How much of the picture is drawn is not measured yet.",
    "moving_share": "How much of the time something moves is not measured yet.",
    "checks_true": "No checks of the result were made.",
}


def iteration_scores(iteration: Iteration, calls: Sequence[Call]) -> tuple[Score, ...]:
    """The scores of one iteration, in a fixed order. `calls` may be those of the whole Run.

    `render_ok` is 1 or 0, `duration_s` the length of the video, `tokens`, `seconds` and `cost` (US dollars) what the
    iteration used, `findings_…` how many Issues of each severity were found.
    """
    unscored = (Score(name=name, value=None, explanation=reason) for name, reason in UNSCORED.items())
    return (*_render_scores(iteration), *_used(iteration, calls), *_findings(iteration), *unscored)


def _render_scores(iteration: Iteration) -> Iterator[Score]:
    render = iteration.render
    if render is None:
        yield Score(name="render_ok", value=None, explanation="Nothing was rendered.")
    elif render.ok:
        yield Score(name="render_ok", value=1)
    else:
        kind = render.error_kind.value if render.error_kind else "unknown"
        yield Score(name="render_ok", value=0, explanation=f"{kind}: {render.message}")
    duration_s = render.duration_s if render else None
    why = "" if duration_s is not None else "There is no video."
    yield Score(name="duration_s", value=duration_s, explanation=why)


def _used(iteration: Iteration, calls: Sequence[Call]) -> Iterator[Score]:
    own = [call.usage for call in calls if call.iteration == iteration.index]
    tokens_in, tokens_out = sum(usage.input_tokens for usage in own), sum(usage.output_tokens for usage in own)
    model_s = sum(usage.seconds for usage in own)
    render_s = iteration.render.wall_s if iteration.render else 0.0
    yield Score(name="tokens", value=tokens_in + tokens_out, explanation=f"{tokens_in} read, {tokens_out} written")
    split = f"{model_s:.1f} s of the model, {render_s:.1f} s of the renderer"
    yield Score(name="seconds", value=round(model_s + render_s, 3), explanation=split)
    yield Score(name="cost", value=sum(usage.cost for usage in own))


def _findings(iteration: Iteration) -> Iterator[Score]:
    critique = iteration.critique
    for severity in Severity:
        name = f"findings_{severity.value}"
        if critique is None:
            yield Score(name=name, value=None, explanation="Nothing was checked.")
        else:
            yield Score(name=name, value=sum(1 for issue in critique.issues if issue.severity is severity))
