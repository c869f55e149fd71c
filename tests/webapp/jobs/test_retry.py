"""Trying again."""

import pytest
from factories import RunFactory
from workshop import job_of

from webapp.jobs.actions.submission import NoEndpoint, retry
from webapp.jobs.models import Status
from webapp.jobs.queue import entry_id

pytestmark = pytest.mark.django_db


def test_a_retry_is_a_new_run_with_the_next_number_and_seed() -> None:
    failed = RunFactory(status=Status.FAILED, stop_reason="step_limit")
    again = retry(failed.job)
    assert (again.job, again.number, again.seed, again.config["seed"]) == (failed.job, 2, 1, 1)
    assert (again.prompt, again.config["repairs"]) == (failed.prompt, failed.config["repairs"])
    assert job_of(failed).status == Status.QUEUED


@pytest.mark.parametrize("reason", ["infrastructure", "crashed"])
def test_what_failed_through_a_fault_of_ours_is_tried_with_the_same_seed(reason: str) -> None:
    failed = RunFactory(status=Status.FAILED, stop_reason=reason, seed=3, config={"seed": 3})
    assert retry(failed.job).seed == 3


@pytest.mark.parametrize("started", [False, True])
def test_an_open_job_gets_no_second_run(started: bool) -> None:
    run = RunFactory(started=started)
    assert retry(run.job) == run
    assert run.job.runs.count() == 1


def test_a_retry_is_enqueued(queue, django_capture_on_commit_callbacks) -> None:
    failed = RunFactory(status=Status.FAILED)
    with django_capture_on_commit_callbacks(execute=True):
        again = retry(failed.job)
    assert queue.job_ids == [entry_id(again.id, 0)]


def test_the_model_of_today_answers() -> None:
    failed = RunFactory(status=Status.FAILED)
    failed.endpoint.is_default = False
    failed.endpoint.save()
    with pytest.raises(NoEndpoint):
        retry(failed.job)
