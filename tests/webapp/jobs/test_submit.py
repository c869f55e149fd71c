"""Asking for an animation."""

import threading
import uuid

import pytest
from django.db import connections
from workshop import ask, job_of

from agent.config import AgentConfig
from agent.errors import BadPrompt
from agent.types import Motion, Prompt
from webapp.endpoints.models import Endpoint
from webapp.jobs.actions.reconciliation import reconcile
from webapp.jobs.actions.submission import NoEndpoint, Submission, submit
from webapp.jobs.models import Job, Run, Status
from webapp.jobs.queue import entry_id


def asked(text: str = "a dot moves", **config: object) -> Submission:
    return Submission(prompt=Prompt(text=text), config=AgentConfig(**config), submission=uuid.uuid4())


def test_asking_makes_a_job_with_one_run_in_the_queue(alice, endpoint) -> None:
    job = submit(alice, asked(seed=7, repairs=1))
    run = job.runs.get()
    assert (job.owner, job.text, job_of(run).status) == (alice, "a dot moves", Status.QUEUED)
    assert (run.number, run.status, run.stage, run.endpoint, run.seed) == (1, Status.QUEUED, "queued", endpoint, 7)
    assert run.config["repairs"] == 1
    assert run.versions["agent"]


@pytest.mark.parametrize(
    ("text", "motion"), [("a dot moves", Motion.ANIMATED), ("a static picture of a dot", Motion.STILL)]
)
def test_whether_something_shall_move_is_decided_when_it_is_asked(alice, endpoint, text: str, motion: Motion) -> None:
    assert submit(alice, asked(text)).runs.get().prompt["motion"] == motion


def test_the_same_submission_twice_is_one_job(alice, endpoint) -> None:
    twice = asked()
    assert submit(alice, twice) == submit(alice, twice)
    assert Run.objects.count() == 1


@pytest.mark.django_db(transaction=True)
def test_a_double_click_is_one_job(alice, endpoint, queue) -> None:
    twice, both = asked(), threading.Barrier(4)
    jobs: list[Job] = []

    def click() -> None:
        both.wait()
        jobs.append(submit(alice, twice))
        connections.close_all()

    clicks = [threading.Thread(target=click) for _ in range(4)]
    for click_thread in clicks:
        click_thread.start()
    for click_thread in clicks:
        click_thread.join()
    assert len(jobs) == 4
    assert len(set(jobs)) == 1
    assert len(queue.job_ids) == Run.objects.count() == 1


def test_two_people_may_send_the_same_number(alice, charlie, endpoint) -> None:
    submission = asked()
    assert submit(alice, submission) != submit(charlie, submission)


@pytest.mark.parametrize("text", ["", "   ", "…", "a\x00b", "a \ud83d half", "x" * 4001])
def test_what_cannot_be_worked_on_is_refused_with_a_sentence_and_nothing_is_kept(alice, endpoint, text: str) -> None:
    with pytest.raises(BadPrompt) as refused:
        submit(alice, asked(text))
    assert str(refused.value).endswith(".")
    assert not Job.objects.exists()


def test_without_a_model_nothing_can_be_asked(alice) -> None:
    with pytest.raises(NoEndpoint, match="No model is set up"):
        submit(alice, asked())
    assert not Job.objects.exists()


def test_a_run_is_enqueued_once_it_can_be_seen(alice, endpoint, queue, django_capture_on_commit_callbacks) -> None:
    with django_capture_on_commit_callbacks(execute=False) as on_commit:
        run = ask(alice)
        assert queue.job_ids == []
    for callback in on_commit:
        callback()
    assert queue.job_ids == [entry_id(run.id, 0)]
    assert queue.jobs[0].args == (str(run.id),)
    assert queue.jobs[0].timeout > 600 + 240, "beyond the agent's own limits"


def test_with_valkey_down_nothing_is_lost(
    alice, endpoint, queue, settings, tmp_path, django_capture_on_commit_callbacks
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(settings.RQ_QUEUES["default"], "URL", f"unix://{tmp_path}/nobody.sock")
        with django_capture_on_commit_callbacks(execute=True):
            run = ask(alice)
    assert run.status == Status.QUEUED
    assert reconcile().enqueued == 1
    assert queue.job_ids == [entry_id(run.id, 0)]


def test_the_default_endpoint_answers(alice, endpoint) -> None:
    Endpoint.objects.create(name="another", kind="embedded")
    assert ask(alice).endpoint == endpoint
