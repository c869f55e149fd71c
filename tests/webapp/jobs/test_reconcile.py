"""Bringing rows and Valkey together again."""

import threading
from datetime import timedelta

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import connections
from django.utils import timezone
from factories import RunFactory
from workshop import job_of

from webapp.jobs.actions.reconciliation import MOST_CRASHES, Reconciled, reconcile
from webapp.jobs.models import Job, Run, Status
from webapp.jobs.queue import entry_id

pytestmark = pytest.mark.django_db

NOTHING = Reconciled(expired=0, out_of_step=0, enqueued=0)


def silent_for(seconds: float) -> dict[str, object]:
    """A started Run whose worker was last heard of then."""
    return {"started": True, "heartbeat_at": timezone.now() - timedelta(seconds=seconds)}


def started(**fields: object) -> Run:
    run = RunFactory(**fields)
    Job.objects.filter(id=run.job_id).update(status=run.status)
    return run


def test_runs_that_valkey_does_not_know_are_enqueued_and_a_second_time_nothing_happens(queue) -> None:
    runs = [RunFactory(), RunFactory()]
    assert reconcile().enqueued == 2
    assert queue.job_ids == [entry_id(run.id, 0) for run in runs]
    assert reconcile() == NOTHING
    assert len(queue.job_ids) == 2


def test_an_entry_that_a_worker_took_and_never_carried_out_is_made_again(queue) -> None:
    run = RunFactory()
    reconcile()
    queue.connection.lmove(queue.key, queue.intermediate_queue_key)  # as a worker takes it
    assert reconcile().enqueued == 1
    assert queue.job_ids == [entry_id(run.id, 0)]
    assert queue.intermediate_queue.get_job_ids() == []


def test_a_run_whose_worker_is_silent_goes_back_to_the_queue(queue, django_capture_on_commit_callbacks) -> None:
    run = started(**silent_for(31))
    with django_capture_on_commit_callbacks(execute=True):
        assert reconcile().expired == 1
    run.refresh_from_db()
    assert (run.status, run.lease, run.crashes) == (Status.QUEUED, None, 1)
    assert job_of(run).status == Status.QUEUED
    assert queue.job_ids == [entry_id(run.id, 1)]
    assert reconcile() == NOTHING


def test_a_run_whose_worker_was_heard_of_stays_with_it(queue) -> None:
    run = started(**silent_for(20))
    assert reconcile() == NOTHING
    assert Run.objects.get().lease == run.lease


def test_a_run_that_has_killed_its_workers_is_given_up_with_a_sentence(queue) -> None:
    started(**silent_for(31), crashes=MOST_CRASHES - 1)
    reconcile()
    run = Run.objects.get()
    assert (run.status, run.outcome, run.stop_reason) == (Status.FAILED, "failed", "crashed")
    assert run.message.startswith("The program that works on this run ended 3 times")
    assert job_of(run).status == Status.FAILED


def test_a_run_that_was_to_be_canceled_ends_when_its_worker_is_gone(queue) -> None:
    started(**silent_for(31), stop_requested_at=timezone.now())
    reconcile()
    run = Run.objects.get()
    assert (run.status, run.outcome, run.stage) == (Status.CANCELED, "canceled", "done")


def test_a_run_that_waits_for_its_time_is_enqueued_when_it_has_come(queue) -> None:
    run = RunFactory(not_before=timezone.now() + timedelta(minutes=1))
    assert reconcile() == NOTHING
    Run.objects.update(not_before=timezone.now() - timedelta(seconds=1))
    assert reconcile().enqueued == 1
    assert queue.job_ids == [entry_id(run.id, 0)]


@pytest.mark.parametrize(
    ("of_job", "of_run"),
    [(Status.STARTED, Status.FAILED), (Status.QUEUED, Status.FINISHED), (Status.FINISHED, Status.QUEUED)],
)
def test_a_job_that_is_out_of_step_is_mended(queue, of_job: Status, of_run: Status) -> None:
    run = RunFactory(status=of_run)
    Job.objects.update(status=of_job)
    assert reconcile().out_of_step == 1
    assert job_of(run).status == of_run
    assert reconcile() == NOTHING


@pytest.mark.django_db(transaction=True)
def test_many_reconcilers_at_once_do_it_once(queue) -> None:
    for _ in range(5):
        started(**silent_for(31))
    everybody_there = threading.Barrier(4)
    done: list[Reconciled] = []

    def work() -> None:
        everybody_there.wait()
        done.append(reconcile())
        connections.close_all()

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(done) == 4
    assert sum(one.expired for one in done) == 5
    assert set(Run.objects.values_list("status", "crashes")) == {(Status.QUEUED, 1)}
    assert sorted(set(queue.job_ids)) == sorted(entry_id(run.id, 1) for run in Run.objects.all())


def test_the_command_says_what_it_did(queue, capsys) -> None:
    RunFactory()
    call_command("reconcile")
    assert capsys.readouterr().out == "0 expired, 0 out of step, 1 enqueued\n"


def test_the_command_ends_with_a_sentence_when_valkey_is_away(queue, settings, tmp_path, monkeypatch) -> None:
    RunFactory()
    monkeypatch.setitem(settings.RQ_QUEUES["default"], "URL", f"unix://{tmp_path}/nobody.sock")
    with pytest.raises(CommandError, match="cannot be compared"):
        call_command("reconcile")
