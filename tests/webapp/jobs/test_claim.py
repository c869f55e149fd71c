"""Taking a Run, keeping it, and giving it back."""

import threading
from datetime import timedelta

import pytest
from django.db import connections
from django.utils import timezone
from factories import RunFactory
from workshop import job_of

from agent.types import Stage
from webapp.jobs.actions.leases import (
    OUTAGE_PAUSES_S,
    Lease,
    LeaseLost,
    claim,
    give_back,
    heartbeat,
    postpone,
    stop_requested,
)
from webapp.jobs.actions.recording import record_stage
from webapp.jobs.history import run_record
from webapp.jobs.models import Job, Run, Status
from webapp.jobs.queue import entry_id, push


def taken(run: Run) -> Lease:
    lease = claim(run.id, "worker-1")
    assert lease
    return lease


@pytest.mark.django_db
def test_a_claim_gives_the_run_to_one_worker() -> None:
    run = RunFactory()
    lease = taken(run)
    run.refresh_from_db()
    assert (run.status, run.worker, run.starts, run.lease) == (Status.STARTED, "worker-1", 1, lease.token)
    assert run.started_at
    assert run.heartbeat_at
    assert job_of(run).status == Status.STARTED
    assert claim(run.id, "worker-2") is None


@pytest.mark.django_db(transaction=True)
def test_of_many_workers_that_take_the_same_run_exactly_one_gets_it() -> None:
    run = RunFactory()
    everybody_there = threading.Barrier(8)
    leases: list[Lease | None] = []

    def take(name: str) -> None:
        everybody_there.wait()
        leases.append(claim(run.id, name))
        connections.close_all()

    workers = [threading.Thread(target=take, args=(f"worker-{number}",)) for number in range(8)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert len(leases) == 8
    assert len([lease for lease in leases if lease]) == 1
    run.refresh_from_db()
    assert run.starts == 1


@pytest.mark.django_db
@pytest.mark.parametrize("status", [Status.FINISHED, Status.FAILED, Status.CANCELED])
def test_what_has_ended_is_not_taken(status: Status) -> None:
    assert claim(RunFactory(status=status).id, "worker-1") is None


@pytest.mark.django_db
def test_a_run_is_not_taken_before_its_time() -> None:
    run = RunFactory(not_before=timezone.now() + timedelta(minutes=1))
    assert claim(run.id, "worker-1") is None
    Run.objects.update(not_before=timezone.now() - timedelta(seconds=1))
    assert claim(run.id, "worker-1")


@pytest.mark.django_db
def test_a_heartbeat_is_heard_and_shows_nothing_new() -> None:
    run = RunFactory()
    lease = taken(run)
    Run.objects.update(heartbeat_at=timezone.now() - timedelta(minutes=1))
    version = job_of(run).version
    heartbeat(lease)
    run.refresh_from_db()
    assert timezone.now() - run.heartbeat_at < timedelta(seconds=10)
    assert job_of(run).version == version


@pytest.mark.django_db
def test_whoever_has_lost_the_lease_writes_nothing_more() -> None:
    run = RunFactory()
    lost = taken(run)
    give_back(lost)
    taken(run)
    before = Run.objects.values().get()
    for write in (
        lambda: heartbeat(lost),
        lambda: stop_requested(lost),
        lambda: record_stage(lost, Stage.WRITING, ""),
        lambda: give_back(lost),
        lambda: postpone(lost, "The renderer is not running."),
    ):
        with pytest.raises(LeaseLost):
            write()
    assert Run.objects.values().get() == before


@pytest.mark.django_db
def test_a_run_that_is_given_back_waits_before_the_others_under_a_new_name_with_its_clock(
    queue, django_capture_on_commit_callbacks
) -> None:
    run, other = RunFactory(), RunFactory()
    push(other.id, 0)
    lease = taken(run)
    spent = run_record(run).model_copy(update={"wall_s": 12.5, "render_s": 3.0})
    with django_capture_on_commit_callbacks(execute=True):
        give_back(lease, spent)
    run.refresh_from_db()
    assert (run.status, run.stage, run.lease, run.wall_s, run.render_s) == (Status.QUEUED, "queued", None, 12.5, 3.0)
    assert job_of(run).status == Status.QUEUED
    assert queue.job_ids == [entry_id(run.id, 1), entry_id(other.id, 0)]


@pytest.mark.django_db
@pytest.mark.parametrize("let_go", [give_back, lambda lease: postpone(lease, "The renderer is not running.")])
def test_a_run_that_was_to_be_canceled_does_not_come_back(let_go) -> None:
    run = RunFactory()
    lease = taken(run)
    Run.objects.update(stop_requested_at=timezone.now())
    let_go(lease)
    run.refresh_from_db()
    assert (run.status, run.outcome) == (Status.CANCELED, "canceled")


@pytest.mark.django_db
def test_an_outage_is_waited_for_longer_each_time_and_not_for_ever() -> None:
    run = RunFactory()
    for pause_s in OUTAGE_PAUSES_S:
        assert postpone(taken(run), "The renderer is not running.")
        run.refresh_from_db()
        assert (run.status, run.message) == (Status.QUEUED, "The renderer is not running.")
        assert pause_s - 2 < (run.not_before - timezone.now()).total_seconds() <= pause_s
        Run.objects.update(not_before=timezone.now())
    lease = taken(run)
    assert not postpone(lease, "The renderer is not running.")
    assert Run.objects.get().lease == lease.token


@pytest.mark.django_db
def test_a_job_is_started_while_any_of_its_runs_is_and_ends_as_the_newest() -> None:
    first = RunFactory(status=Status.FINISHED)
    second, third = RunFactory(job=first.job, number=2), RunFactory(job=first.job, number=3, status=Status.FAILED)
    lease = taken(second)
    assert job_of(third).status == Status.STARTED
    give_back(lease)
    assert job_of(third).status == Status.QUEUED
    Run.objects.filter(id=second.id).update(stop_requested_at=timezone.now())
    give_back(taken(second))
    assert Job.objects.get().status == Status.FAILED
