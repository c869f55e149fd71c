"""The loop with a scripted model and the real renderer: what `full` accepts, repairs, keeps and gives up on."""

import json
import threading
import time

import psutil
import pytest
from programs import (
    BLANK,
    CRASHES,
    CRASHES_ELSEWHERE,
    ENDLESS,
    MOVING,
    MOVING_TOO,
    STILL,
    answer,
    scene,
)

from agent.config import Limits
from agent.models.cores import Cores
from agent.models.scripted import Line
from agent.renderer.client import RendererClient, running_renderer
from agent.renderer.protocol import RenderLimits
from agent.run_folder import read_run, write_run
from agent.types import (
    Author,
    ErrorKind,
    FinishReason,
    FollowUp,
    Issue,
    IssueSource,
    IterationKind,
    Motion,
    Outcome,
    Prompt,
    Quality,
    Severity,
    StopReason,
    Verdict,
)


def test_a_sound_program_becomes_a_video_in_one_call(desk) -> None:
    run = desk.run(answer(MOVING))
    assert (run.outcome, run.stop_reason) == (Outcome.ACCEPTED, StopReason.ACCEPTED)
    assert run.message == "It is drawn, and it moves as asked. Whether the mathematics is right is yours to judge."
    assert len(run.calls) == len(run.iterations) == 1
    assert (desk.folder / "video.mp4").stat().st_size > 1000
    assert (desk.folder / "scene.py").read_text() == MOVING
    assert run.final_video == "video.mp4"
    assert desk.stages == ["writing", "drafting", "done"]


def test_run_json_holds_everything_under_its_fixed_names(desk) -> None:
    run = desk.run(answer(CRASHES), answer(MOVING))
    write_run(desk.folder, run)
    stored = json.loads((desk.folder / "run.json").read_text())
    assert stored["schema_version"] == 1
    assert set(stored) >= {
        *("id", "prompt", "strategy", "model", "seed", "versions", "outcome", "stop_reason", "final_video"),
        *("best_iteration", "usage", "parent_run", "plan", "questions", "scores", "overhead_s", "calls", "iterations"),
    }
    assert set(stored["versions"]) >= {"manim", "agent"}
    call, iteration = stored["calls"][0], stored["iterations"][0]
    assert set(call) >= {"role", "iteration", "messages", "completion", "finish_reason", "usage"}
    assert set(iteration["render"]) >= {
        *(
            "ok",
            "error_kind",
            "error_symbol",
            "message",
            "traceback_tail",
            "line",
            "video",
            "duration_s",
            "wall_s",
            "cached",
        ),
    }
    assert iteration["critique"]["verdict"] == "repair"
    assert {score["name"]: score["value"] for score in stored["scores"]}["render_ok"] == 1
    assert read_run(desk.folder) == run


def test_a_crash_is_repaired_without_showing_the_failed_program(desk) -> None:
    run = desk.run(answer(CRASHES), answer(MOVING))
    assert run.outcome is Outcome.ACCEPTED
    assert run.best_iteration == 1
    failed = run.iterations[0].render
    assert (failed.error_kind, failed.error_symbol, failed.line) == (ErrorKind.PYTHON, "ShowCreation", 6)
    repair = desk.sent(1)
    assert "name 'ShowCreation' is not defined" in repair
    assert "self.play(ShowCreation(Circle()))" in repair
    assert "class Demo" not in repair
    assert "Traceback" not in repair


def test_a_repair_draws_again_when_the_model_parrots_its_failure(desk) -> None:
    parroted = answer("# the same\n" + CRASHES)
    run = desk.run(answer(CRASHES), parroted, parroted, answer(MOVING))
    assert run.outcome is Outcome.ACCEPTED
    assert len(run.iterations) == 2
    assert run.iterations[1].candidates == 3
    seeds = [request.seed for request in desk.model.requests]
    assert len(set(seeds)) == len(seeds)
    assert desk.model.requests[1].temperature > 0


def test_an_error_that_comes_back_changes_the_approach_and_a_third_time_stops(desk) -> None:
    same = [answer(scene(f"x = {n}", "self.play(ShowCreation(Circle()))")) for n in range(4)]
    run = desk.run(*same, repairs=5)
    assert (run.outcome, run.stop_reason) == (Outcome.FAILED, StopReason.REPEATED_ERROR)
    assert len(run.iterations) == 3
    assert "another way" not in desk.sent(1)
    assert "take another way: do without `ShowCreation`" in desk.sent(2)
    assert desk.model.requests[2].temperature > desk.model.requests[1].temperature
    assert "ShowCreation" in run.message


def test_a_parroted_program_counts_as_the_same_error_without_another_render(desk) -> None:
    run = desk.run(*[answer(CRASHES)] * 9, candidates=2)
    assert run.stop_reason is StopReason.REPEATED_ERROR
    assert [iteration.render.cached for iteration in run.iterations] == [False, True, True]
    assert len(run.calls) == 5


@pytest.mark.parametrize(
    ("program", "kind", "words"), [(STILL, "static", "Nothing moves"), (BLANK, "blank", "one colour")]
)
def test_exit_0_is_not_enough(desk, program: str, kind: str, words: str) -> None:
    run = desk.run(answer(program), answer(MOVING))
    assert [issue.kind for issue in run.iterations[0].critique.issues] == [kind]
    assert words in desk.sent(1)
    assert run.outcome is Outcome.ACCEPTED
    assert run.best_iteration == 1


def test_a_still_is_accepted_when_it_was_asked_for_and_is_held_three_seconds(desk) -> None:
    run = desk.run(answer(STILL), prompt="a still picture of a disc")
    assert run.prompt.motion is Motion.STILL
    assert run.outcome is Outcome.ACCEPTED
    assert run.message == "It is drawn. Whether the mathematics is right is yours to judge."
    render = run.iterations[0].render
    assert render.duration_s == pytest.approx(3.0, abs=0.15)
    assert (desk.folder / "still.png").exists()
    assert "still picture is wanted" in desk.sent(0)


def test_a_worse_later_try_never_replaces_the_best(desk) -> None:
    run = desk.run(answer(STILL), answer(CRASHES), answer(BLANK), answer(CRASHES_ELSEWHERE))
    assert (run.outcome, run.stop_reason) == (Outcome.BEST_EFFORT, StopReason.STEP_LIMIT)
    assert run.best_iteration == 0
    assert (desk.folder / "video.mp4").exists()
    assert run.iterations[0].critique.verdict is Verdict.REPAIR


@pytest.mark.parametrize(
    ("line", "kind", "words"),
    [
        (Line(content=""), ErrorKind.NO_CODE, "empty answer"),
        (Line(content="I would rather not."), ErrorKind.NO_CODE, "no program"),
        (Line(content=answer(MOVING)[:120], finish_reason=FinishReason.LENGTH), ErrorKind.TRUNCATED, "cut off"),
        (Line(content=answer("x = 1\n")), ErrorKind.NO_SCENE, "no scene"),
        (Line(content=answer(MOVING + "    ((")), ErrorKind.SYNTAX, "SyntaxError"),
        (Line(content="word " * 200_000), ErrorKind.NO_CODE, "no program"),
    ],
)
def test_an_answer_that_cannot_run_is_told_so_and_never_rendered(desk, line: Line, kind: ErrorKind, words: str) -> None:
    run = desk.run(line, answer(MOVING))
    first = run.iterations[0].render
    assert (first.ok, first.error_kind, first.wall_s) == (False, kind, 0)
    assert words in desk.sent(1)
    assert run.outcome is Outcome.ACCEPTED


def test_two_programs_in_one_answer_are_no_trouble(desk) -> None:
    run = desk.run(answer(CRASHES) + "Better:\n" + answer(MOVING))
    assert run.outcome is Outcome.ACCEPTED
    assert run.iterations[0].code == MOVING


def test_a_model_without_an_answer_ends_the_run_with_its_sentence(desk) -> None:
    run = desk.run(Line(error="The model server at http://x cannot be reached."))
    assert (run.outcome, run.stop_reason) == (Outcome.FAILED, StopReason.MODEL_ERROR)
    assert run.message == "The model server at http://x cannot be reached."


def test_a_model_that_fails_later_leaves_the_best_render(desk) -> None:
    run = desk.run(answer(STILL), Line(error="The model server is gone."))
    assert (run.outcome, run.stop_reason) == (Outcome.BEST_EFFORT, StopReason.MODEL_ERROR)
    assert (desk.folder / "video.mp4").exists()


def test_a_bad_prompt_costs_no_call(desk) -> None:
    run = desk.run(answer(MOVING), prompt="  ")
    assert (run.outcome, run.stop_reason, len(run.calls)) == (Outcome.FAILED, StopReason.BAD_PROMPT, 0)


def test_a_program_without_end_is_stopped_and_advice_goes_back(desk) -> None:
    run = desk.run(answer(ENDLESS), answer(MOVING), render_limits=RenderLimits(wall_s=8))
    assert run.iterations[0].render.error_kind is ErrorKind.TIMEOUT
    assert "Shorten waits" in desk.sent(1)
    assert run.outcome is Outcome.ACCEPTED


def test_a_cancel_in_the_middle_of_a_render_is_quick(desk) -> None:
    started = time.monotonic()

    def should_stop() -> bool:
        return "drafting" in desk.stages and time.monotonic() - started > 3

    run = desk.run(answer(ENDLESS), should_stop=should_stop)
    assert (run.outcome, run.stop_reason) == (Outcome.CANCELED, StopReason.CANCELED)
    assert time.monotonic() - started < 6


def test_a_cancel_in_the_middle_of_a_call_is_quick(desk) -> None:
    started = time.monotonic()
    run = desk.run(Line(content="late", delay_s=60), should_stop=lambda: time.monotonic() - started > 0.3)
    assert run.outcome is Outcome.CANCELED
    assert time.monotonic() - started < 2


def test_the_time_limit_delivers_the_best_there_is(desk) -> None:
    slow = Line(content=answer(MOVING), delay_s=60)
    run = desk.run(answer(STILL), slow, limits=Limits(wall_s=6))
    assert (run.outcome, run.stop_reason) == (Outcome.BEST_EFFORT, StopReason.TIME_LIMIT)
    assert run.final_video


def test_the_token_limit_stops_the_run(desk) -> None:
    run = desk.run(answer(CRASHES), answer(MOVING), limits=Limits(tokens=10))
    assert (run.stop_reason, len(run.calls)) == (StopReason.TOKEN_LIMIT, 1)


def test_the_cost_limit_stops_the_run(desk) -> None:
    run = desk.run(Line(content=answer(CRASHES), cost=0.2), answer(MOVING), limits=Limits(cost=0.1))
    assert (run.stop_reason, len(run.calls)) == (StopReason.COST_LIMIT, 1)


def test_a_person_who_leaves_is_heard_before_any_limit(desk) -> None:
    run = desk.run(answer(CRASHES), Line(content="late", delay_s=60), should_stop=lambda: len(desk.model.requests) > 1)
    assert run.stop_reason is StopReason.CANCELED


def test_a_killed_run_goes_on_where_it_was_recorded_with_its_limits_counted_on(desk) -> None:
    first = desk.run(Line(content=answer(CRASHES), delay_s=0.3), Line(error="gone"))
    history = desk.recorder.run
    assert (history.outcome, history.wall_s) == (None, 0), "the recorder saw no end, as after a kill"
    resumed = desk.run(answer(MOVING), history=history)
    assert resumed.id == first.id
    assert [iteration.index for iteration in resumed.iterations] == [0, 1]
    assert resumed.outcome is Outcome.ACCEPTED
    assert resumed.usage.seconds > 0.3
    assert resumed.wall_s > first.usage.seconds + first.render_s
    assert "ShowCreation" in desk.sent(0)
    tokens = first.usage.input_tokens + first.usage.output_tokens
    stopped = desk.run(answer(MOVING), history=history, limits=Limits(tokens=tokens))
    assert (stopped.stop_reason, len(stopped.calls)) == (StopReason.TOKEN_LIMIT, 1)


def test_a_run_that_goes_on_in_another_folder_still_delivers(desk) -> None:
    desk.run(answer(STILL), Line(error="gone"))
    history = desk.recorder.run
    desk.folder = desk.folder.with_name("elsewhere")
    run = desk.run(Line(error="gone again"), history=history)
    assert run.outcome is Outcome.BEST_EFFORT
    assert (desk.folder / "video.mp4").exists()


def test_the_same_program_is_judged_by_its_pictures_also_when_only_its_video_was_kept(desk) -> None:
    desk.run(answer(BLANK), Line(error="gone"))
    history = desk.recorder.run
    for frame in history.iterations[0].render.frames:
        (desk.folder / frame.path).unlink()
    run = desk.run(answer(BLANK), history=history, repairs=1, candidates=1)
    assert not run.iterations[1].render.cached
    assert [issue.kind for issue in run.iterations[1].critique.issues] == ["blank"]


def test_a_run_whose_video_is_lost_and_cannot_be_made_again_says_so(desk, tmp_path) -> None:
    desk.run(answer(STILL), Line(error="gone"))
    history = desk.recorder.run
    desk.folder = desk.folder.with_name("elsewhere")
    desk.renderer = RendererClient(tmp_path / "nobody.sock")
    run = desk.run(Line(error="gone again"), history=history)
    assert (run.outcome, run.final_video) == (Outcome.FAILED, None)
    assert "The video could not be made again" in run.message


def test_waiting_for_a_processor_costs_neither_the_limit_nor_us(desk, tmp_path) -> None:
    cores = Cores(tmp_path / "cores.lock")
    desk.processor = cores
    held, let_go = threading.Event(), threading.Event()

    def hold() -> None:
        with cores.hold(lambda: False):
            held.set()
            let_go.wait(3)

    holder = threading.Thread(target=hold)
    holder.start()
    held.wait()
    run = desk.run("no program", repairs=0, limits=Limits(wall_s=1.5))
    holder.join()
    assert run.stop_reason is StopReason.STEP_LIMIT
    assert run.wait_s > 2.5
    assert run.overhead_s < 1
    assert "waiting_for_processor" in desk.stages


def test_a_renderer_that_is_gone_is_infrastructure_after_some_tries_and_no_iteration(desk, tmp_path) -> None:
    desk.renderer = RendererClient(tmp_path / "nobody.sock")
    run = desk.run(answer(MOVING))
    assert (run.outcome, run.stop_reason) == (Outcome.FAILED, StopReason.INFRASTRUCTURE)
    assert (len(run.calls), len(run.iterations)) == (1, 0)
    assert run.wait_s > 2
    assert "not the prompt's fault" in run.message


def test_the_asked_quality_is_delivered(desk) -> None:
    run = desk.run(answer(MOVING_TOO), prompt=Prompt(text="a box", quality=Quality.P720_30))
    assert run.final_video == "video.mp4"
    assert (desk.folder / "video.mp4").read_bytes() == (desk.folder / "final" / "video.mp4").read_bytes()
    assert desk.stages == ["writing", "drafting", "finishing", "done"]


def test_a_final_render_that_fails_leaves_the_draft_and_says_so(desk) -> None:
    only_small = scene(
        "if config.pixel_height > 480:", "    raise ValueError('too big')", "self.play(Create(Circle()), run_time=0.3)"
    )
    run = desk.run(answer(only_small), prompt=Prompt(text="a circle", quality=Quality.P720_30))
    assert run.outcome is Outcome.ACCEPTED
    assert (desk.folder / "video.mp4").read_bytes() == (desk.folder / "iterations/0/video.mp4").read_bytes()
    assert "720p30 failed, so the draft is delivered: ValueError: too big" in run.message
    assert run.final_render.video == "iterations/0/video.mp4"


LONG = scene("self.play(Create(Circle()), run_time=0.3)", "if config.pixel_height > 480:", "    self.wait(60)")


def test_a_person_who_leaves_during_the_final_render_has_canceled_and_keeps_the_draft(desk) -> None:
    prompt = Prompt(text="a circle", quality=Quality.P720_30)
    run = desk.run(answer(LONG), prompt=prompt, should_stop=lambda: "finishing" in desk.stages)
    assert (run.outcome, run.stop_reason) == (Outcome.CANCELED, StopReason.CANCELED)
    assert run.final_render.video == "iterations/0/video.mp4"


def test_a_renderer_that_goes_during_the_final_render_is_infrastructure_and_leaves_the_draft(desk) -> None:
    prompt = Prompt(text="a circle", quality=Quality.P720_30)

    def take_it_away() -> bool:
        if "finishing" in desk.stages and (about := desk.renderer.about()) and psutil.pid_exists(about.pid):
            psutil.Process(about.pid).terminate()
        return False

    with running_renderer() as desk.renderer:
        run = desk.run(answer(LONG), prompt=prompt, should_stop=take_it_away)
    assert (run.outcome, run.stop_reason) == (Outcome.BEST_EFFORT, StopReason.INFRASTRUCTURE)
    assert run.final_video == "video.mp4"
    assert "draft" in run.message


def test_what_is_ours_is_what_is_left_of_the_wall_time(desk) -> None:
    run = desk.run(Line(content=answer(CRASHES), delay_s=0.5), answer(MOVING))
    assert run.usage.seconds >= 0.5
    assert run.overhead_s == pytest.approx(run.wall_s - run.usage.seconds - run.render_s - run.wait_s, abs=0.01)


def test_the_time_of_a_call_that_fails_is_not_ours(desk) -> None:
    run = desk.run(Line(error="gone", delay_s=1))
    assert run.wall_s > 1
    assert run.overhead_s < 0.5


class TestFollowUps:
    def test_a_change_in_words_starts_from_the_iteration_it_speaks_of(self, desk) -> None:
        first = desk.run(answer(MOVING))
        change = FollowUp(text="make it slower", parent_run=first.id, from_iteration=first.iterations[0])
        desk.folder = desk.folder.with_name("second")
        run = desk.run(answer(MOVING.replace("0.4", "0.9")), follow_up=change)
        assert (run.parent_run, run.parent_iteration) == (first.id, 0)
        assert run.iterations[0].kind is IterationKind.REVISE
        assert "make it slower" in desk.sent(0)
        assert MOVING.strip() in desk.sent(0)
        assert run.outcome is Outcome.ACCEPTED

    def test_edited_code_is_tried_before_the_model_is_asked(self, desk) -> None:
        first = desk.run(answer(MOVING))
        edit = FollowUp(parent_run=first.id, from_iteration=first.iterations[0], code=MOVING_TOO)
        desk.folder = desk.folder.with_name("second")
        run = desk.run(follow_up=edit)
        assert (run.iterations[0].author, run.iterations[0].kind) == (Author.HUMAN, IterationKind.EDIT)
        assert (run.outcome, len(run.calls)) == (Outcome.ACCEPTED, 0)

    def test_what_a_person_marked_reaches_the_model_with_its_time(self, desk) -> None:
        first = desk.run(answer(MOVING))
        mark = Issue(
            kind="text_overlap",
            severity=Severity.ERROR,
            source=IssueSource.HUMAN,
            message="The dot hides the title.",
            t_start=1.5,
        )
        change = FollowUp(parent_run=first.id, from_iteration=first.iterations[0], issues=(mark,))
        desk.folder = desk.folder.with_name("second")
        desk.run(answer(MOVING_TOO), follow_up=change)
        assert "The dot hides the title. (at 1.5 s)" in desk.sent(0)

    def test_the_wish_is_still_there_after_a_failed_attempt(self, desk) -> None:
        first = desk.run(answer(MOVING))
        change = FollowUp(text="make it slower", parent_run=first.id, from_iteration=first.iterations[0])
        desk.folder = desk.folder.with_name("second")
        run = desk.run(answer(CRASHES), answer(MOVING_TOO), follow_up=change)
        assert "make it slower" in desk.sent(1)
        assert "ShowCreation" in desk.sent(1)
        assert MOVING.strip() in desk.sent(1)
        assert run.outcome is Outcome.ACCEPTED

    def test_the_same_program_back_is_no_change(self, desk) -> None:
        first = desk.run(answer(MOVING))
        change = FollowUp(text="make it slower", parent_run=first.id, from_iteration=first.iterations[0])
        desk.folder = desk.folder.with_name("second")
        run = desk.run(*[answer(MOVING)] * 3, answer(MOVING_TOO), follow_up=change)
        assert [issue.kind for issue in run.iterations[0].critique.issues] == ["unchanged"]
        assert run.best_iteration == 1

    def test_edited_code_with_a_wish_is_changed_further(self, desk) -> None:
        first = desk.run(answer(MOVING))
        edit = FollowUp(
            text="and make it blue", parent_run=first.id, from_iteration=first.iterations[0], code=MOVING_TOO
        )
        desk.folder = desk.folder.with_name("second")
        run = desk.run(answer(MOVING_TOO.replace("BLUE", "RED")), follow_up=edit)
        assert [iteration.kind for iteration in run.iterations] == [IterationKind.EDIT, IterationKind.REVISE]
        assert MOVING_TOO.strip() in desk.sent(0)
        assert run.best_iteration == 0 or run.outcome is Outcome.ACCEPTED
