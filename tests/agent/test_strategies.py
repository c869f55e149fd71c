"""The paper's strategies keep the paper's rules (PAPERS A3-A4)."""

from programs import BLANK, CRASHES, CRASHES_ELSEWHERE, MOVING, STILL, answer, scene

from agent.models.scripted import Line
from agent.types import ErrorKind, FinishReason, Outcome, StopReason, StrategyName


def blocks(text: str) -> str:
    return f"<CODE>\n{answer(text)}</CODE>"


def test_vanilla_is_one_shot(desk) -> None:
    run = desk.run(blocks(CRASHES), blocks(MOVING), strategy=StrategyName.VANILLA)
    assert (run.outcome, run.stop_reason) == (Outcome.FAILED, StopReason.STEP_LIMIT)
    assert len(run.calls) == 1
    sent = desk.sent(0)
    assert "<TEXT_SCRIPT>\na dot moves\n</TEXT_SCRIPT>" in sent
    assert "INITIAL_CODE" not in sent
    assert desk.model.requests[0].temperature == 0


def test_ritl_sends_the_last_code_and_the_last_ten_lines_of_its_error(desk) -> None:
    run = desk.run(blocks(CRASHES), blocks(MOVING), strategy=StrategyName.RITL)
    assert run.outcome is Outcome.ACCEPTED
    user = desk.model.requests[1].messages[1].content
    assert f"<INITIAL_CODE>\n```python\n{CRASHES.strip()}\n```\n</INITIAL_CODE>" in user
    errors = user.split("<RENDER_ERRORS>\n")[1].split("\n</RENDER_ERRORS>")[0]
    assert len(errors.splitlines()) <= 10
    assert errors.splitlines()[-1].startswith("NameError: name 'ShowCreation' is not defined")


def test_ritl_shows_only_the_latest_failure(desk) -> None:
    desk.run(blocks(CRASHES), blocks(CRASHES_ELSEWHERE), blocks(MOVING), strategy=StrategyName.RITL)
    assert "ShowCreation" not in desk.model.requests[2].messages[1].content
    assert "radios" in desk.model.requests[2].messages[1].content
    assert all(request.temperature == 0 for request in desk.model.requests)


def test_ritl_makes_three_further_rounds_and_no_more(desk) -> None:
    failing = [blocks(scene(f"self.play(Nothing{n}())")) for n in range(6)]
    run = desk.run(*failing, strategy=StrategyName.RITL)
    assert (run.stop_reason, len(run.calls)) == (StopReason.STEP_LIMIT, 4)


def test_ritl_stops_at_exit_0_whatever_it_shows(desk) -> None:
    run = desk.run(blocks(BLANK), blocks(MOVING), strategy=StrategyName.RITL)
    assert (run.outcome, len(run.calls)) == (Outcome.ACCEPTED, 1)
    assert [issue.kind for issue in run.iterations[0].critique.issues] == ["blank"]


def test_a_still_picture_counts_for_the_paper(desk) -> None:
    run = desk.run(blocks(STILL), strategy=StrategyName.VANILLA)
    assert run.outcome is Outcome.ACCEPTED


def test_ritl_renders_what_was_cut_off_and_we_count_it_as_truncated(desk) -> None:
    cut = Line(content=blocks(MOVING).split("RIGHT")[0], finish_reason=FinishReason.LENGTH)
    run = desk.run(cut, blocks(MOVING), strategy=StrategyName.RITL)
    assert run.iterations[0].render.error_kind is ErrorKind.TRUNCATED
    assert "SyntaxError" in desk.sent(1)


def test_without_error_text_ritl_says_none(desk) -> None:
    desk.run("no program here", blocks(MOVING), strategy=StrategyName.RITL, repairs=1)
    user = desk.model.requests[1].messages[1].content
    assert "<RENDER_ERRORS>\nNONE\n</RENDER_ERRORS>" in user
