"""A worker carries out a Run: what is kept while it goes on, how it ends, and what makes it wait."""

import threading
from dataclasses import replace
from pathlib import Path

import pytest
from django.core.files.storage import default_storage
from django.utils import timezone
from factories import EndpointFactory
from PIL import Image
from programs import BLANK, CRASHES, MOVING, STILL, answer, scene
from rq.timeouts import JobTimeoutException, UnixSignalDeathPenalty
from workshop import ask, job_of

from agent.renderer.client import RendererClient
from agent.types import Quality
from webapp.jobs.actions.leases import OUTAGE_PAUSES_S
from webapp.jobs.actions.submission import cancel
from webapp.jobs.models import Run, Status
from webapp.jobs.tasks import carry_out

FADES = scene("dot = Dot(radius=1)", "self.play(FadeIn(dot), run_time=0.3)", "self.play(FadeOut(dot), run_time=0.3)")


def stored() -> set[str]:
    """The names of all files in storage."""
    root = Path(default_storage.location)
    return {str(path.relative_to(root)) for path in root.rglob("*") if path.is_file()}


def test_a_run_is_carried_out_and_everything_of_it_is_kept(alice, answers, workplace) -> None:
    answers(answer(CRASHES), answer(MOVING))
    run = ask(alice)
    before = job_of(run).version
    carry_out(run.id, workplace)
    run.refresh_from_db()
    assert (run.status, run.outcome, run.stop_reason, run.stage) == (Status.FINISHED, "accepted", "accepted", "done")
    assert (job_of(run).status, run.lease, run.best_iteration) == (Status.FINISHED, None, 1)
    assert job_of(run).version > before
    assert run.model == "scripted:script.json"
    assert run.versions == workplace.versions
    failed, accepted = run.iterations.all()
    assert (failed.ok, failed.error_kind, failed.video.name) == (False, "python", "")
    assert (accepted.ok, accepted.error_kind, accepted.code) == (True, "", MOVING)
    assert [call.role for call in run.calls.all()] == ["write", "repair"]
    assert run.calls.first().completion == answer(CRASHES)
    assert {score["name"]: score["value"] for score in failed.scores}["findings_error"] == 1
    assert run.scores == accepted.scores
    assert stored() == {accepted.video.name, accepted.poster.name}
    assert run.final_video.name == accepted.video.name
    assert accepted.video.name.startswith(f"runs/{run.id.hex}/1-")
    assert accepted.video.size > 1000
    assert list(workplace.folder.iterdir()) == []


def test_the_final_video_is_rendered_at_the_asked_quality_and_kept_beside_the_draft(alice, answers, workplace) -> None:
    answers(answer(FADES))
    run = ask(alice)
    Run.objects.update(prompt=run.prompt | {"quality": Quality.P720_30.value})
    carry_out(run.id, workplace)
    run.refresh_from_db()
    draft = run.iterations.get()
    assert stored() == {draft.video.name, draft.poster.name, run.final_video.name}
    assert run.final_video.name.startswith(f"runs/{run.id.hex}/final-")
    with draft.poster.open() as file, Image.open(file) as picture:
        assert len(picture.convert("L").getcolors()) > 1, "the poster shows something, although the end shows nothing"


def test_a_still_is_kept_as_a_picture(alice, answers, workplace) -> None:
    answers(answer(STILL))
    run = ask(alice, "a static picture of a circle")
    carry_out(run.id, workplace)
    run.refresh_from_db()
    assert run.outcome == "accepted"
    assert run.final_still.name in stored()


def test_a_model_that_writes_no_code_for_two_prompts_gives_two_failures_and_no_video(alice, answers, workplace) -> None:
    answers(*[""] * 10)
    runs = [ask(alice, text) for text in ("bubble sort", "merge sort")]
    for run in runs:
        carry_out(run.id, workplace)
        run.refresh_from_db()
        assert (run.status, run.outcome, run.final_video.name) == (Status.FAILED, "failed", "")
        assert run.message.endswith("The model gave an empty answer.")
        assert {iteration.error_kind for iteration in run.iterations.all()} == {"no_code"}
    assert stored() == set()


def test_with_the_renderer_gone_a_run_waits_without_a_call_and_ends_as_a_fault_of_the_machine(
    alice, answers, workplace, tmp_path
) -> None:
    answers(answer(MOVING))
    run = ask(alice)
    broken = replace(workplace, renderer=RendererClient(tmp_path / "nobody.sock"))
    for _ in OUTAGE_PAUSES_S:
        carry_out(run.id, broken)
        run.refresh_from_db()
        assert (run.status, run.stage) == (Status.QUEUED, "queued")
        assert run.not_before > timezone.now()
        assert "The renderer is not running" in run.message
        assert "not the prompt's fault" in run.message
        Run.objects.update(not_before=timezone.now())
    carry_out(run.id, broken)
    run.refresh_from_db()
    assert (run.status, run.outcome, run.stop_reason) == (Status.FAILED, "failed", "infrastructure")
    assert "not the prompt's fault" in run.message
    assert (run.calls.count(), run.iterations.count()) == (0, 0)


def test_a_run_that_has_waited_goes_on_when_the_renderer_is_back(alice, answers, workplace, tmp_path) -> None:
    answers(answer(MOVING))
    run, other = ask(alice), ask(alice, "a dot moves to the right")
    carry_out(run.id, replace(workplace, renderer=RendererClient(tmp_path / "nobody.sock")))
    Run.objects.update(not_before=timezone.now())
    for waiting in (run, other):
        carry_out(waiting.id, workplace)
        waiting.refresh_from_db()
        assert (waiting.outcome, waiting.calls.count(), waiting.iterations.count()) == ("accepted", 1, 1)
    assert run.final_video.name != other.final_video.name, "two runs of the same program have files of their own"


@pytest.mark.parametrize(
    ("endpoint", "words"),
    [
        ({"kind": "embedded"}, "The embedded model is not running."),
        ({"kind": "remote", "base_url": "http://127.0.0.1:9/v1", "model": "m"}, "cannot be reached"),
    ],
)
def test_a_model_server_that_is_down_is_waited_for(alice, workplace, endpoint, words) -> None:
    EndpointFactory(name="the model", **endpoint)
    run = ask(alice)
    carry_out(run.id, workplace)
    run.refresh_from_db()
    assert (run.status, run.outages, run.calls.count()) == (Status.QUEUED, 1, 0)
    assert words in run.message
    assert run.not_before > timezone.now()


def test_an_endpoint_that_can_never_answer_ends_the_run_with_its_sentence(alice, workplace, tmp_path) -> None:
    EndpointFactory(script=str(tmp_path / "gone.json"))
    run = ask(alice)
    carry_out(run.id, workplace)
    run.refresh_from_db()
    assert (run.status, run.stop_reason) == (Status.FAILED, "infrastructure")
    assert "gone.json cannot be read" in run.message


def test_a_run_that_cannot_be_kept_is_no_fault_of_the_prompt(alice, answers, workplace, data) -> None:
    answers(answer(MOVING))
    run = ask(alice)
    data.mkdir()
    (data / "media").write_text("a file where the folder should be")
    carry_out(run.id, workplace)
    run.refresh_from_db()
    assert (run.status, run.stop_reason) == (Status.FAILED, "infrastructure")
    assert run.message == "The run could not be kept: Not a directory. That is not the prompt's fault."


def test_what_nobody_planned_ends_the_run_with_a_plain_sentence(alice, answers, workplace) -> None:
    answers(answer(MOVING))
    run = ask(alice)
    Run.objects.update(config={"repairs": -1})
    carry_out(run.id, workplace)
    run.refresh_from_db()
    assert (run.status, run.stop_reason) == (Status.FAILED, "crashed")
    assert run.message.startswith("Something of ours broke while this was worked on (")
    assert "Traceback" not in run.message


def test_a_run_that_hangs_beyond_its_limits_is_ended(alice, answers, workplace) -> None:
    answers({"content": answer(MOVING), "delay_s": 30})
    run = ask(alice)
    with UnixSignalDeathPenalty(1, JobTimeoutException):
        carry_out(run.id, workplace)
    run.refresh_from_db()
    assert (run.status, run.outcome, run.stop_reason) == (Status.FAILED, "failed", "time_limit")


def test_what_cannot_be_claimed_is_left_alone(alice, answers, workplace) -> None:
    answers(answer(MOVING))
    run = ask(alice)
    cancel(run.job)
    carry_out(run.id, workplace)
    run.refresh_from_db()
    assert (run.status, run.starts) == (Status.CANCELED, 0)


def test_a_worker_that_has_to_end_gives_the_run_back_and_another_goes_on(alice, answers, workplace) -> None:
    answers(answer(BLANK), {"content": answer(MOVING), "delay_s": 60})
    run = ask(alice)
    carry_out(run.id, replace(workplace, leaving=LeavesAfterOneIteration(run)))
    run.refresh_from_db()
    assert (run.status, run.outcome, run.calls.count(), run.iterations.count()) == (Status.QUEUED, "", 1, 1)
    first = run.iterations.get()
    spent = run.wall_s
    assert spent > 0
    answers(answer(BLANK), answer(MOVING))
    carry_out(run.id, replace(workplace, name="another"))
    run.refresh_from_db()
    assert (run.outcome, run.worker, run.starts, run.crashes) == ("accepted", "another", 2, 0)
    assert run.iterations.first() == first
    assert [call.completion for call in run.calls.all()] == [answer(BLANK), answer(MOVING)]
    assert run.wall_s > spent


class LeavesAfterOneIteration(threading.Event):
    """Tells a worker to end once a Run has an iteration."""

    def __init__(self, run: Run) -> None:
        super().__init__()
        self._run = run

    def is_set(self) -> bool:
        return self._run.iterations.exists()
