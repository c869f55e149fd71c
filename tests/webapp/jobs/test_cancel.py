"""Canceling what waits and what a worker has. That the worker hears of it is tested with real ones."""

import pytest
from factories import RunFactory
from workshop import job_of

from webapp.jobs.actions.leases import claim
from webapp.jobs.actions.submission import cancel
from webapp.jobs.models import Job, Status

pytestmark = pytest.mark.django_db


def test_a_run_that_waits_is_canceled_at_once() -> None:
    run = RunFactory()
    cancel(run.job)
    run.refresh_from_db()
    assert (run.status, run.outcome, run.stop_reason, run.stage) == (Status.CANCELED, "canceled", "canceled", "done")
    assert run.ended_at
    assert job_of(run).status == Status.CANCELED
    assert claim(run.id, "worker") is None


def test_the_worker_of_a_run_that_has_begun_is_asked_to_end_it() -> None:
    run = RunFactory(started=True)
    Job.objects.update(status=Status.STARTED)
    before = job_of(run).version
    cancel(run.job)
    run.refresh_from_db()
    assert (run.status, job_of(run).status) == (Status.STARTED, Status.STARTED)
    assert run.stop_requested_at
    assert job_of(run).version > before


def test_canceling_twice_is_canceling_once() -> None:
    run = RunFactory(started=True)
    cancel(run.job)
    version = job_of(run).version
    cancel(run.job)
    assert job_of(run).version == version


@pytest.mark.parametrize("status", [Status.FINISHED, Status.FAILED, Status.CANCELED])
def test_what_has_ended_stays_as_it_is(status: Status) -> None:
    run = RunFactory(status=status, outcome="accepted", message="as it was")
    cancel(run.job)
    run.refresh_from_db()
    assert (run.status, run.outcome, run.message, run.stop_requested_at) == (status, "accepted", "as it was", None)
