"""A worker takes a Run, keeps it, and gives it back. Every write of a worker is conditional on its lease."""

from collections.abc import Iterator
from contextlib import contextmanager
from uuid import UUID, uuid4

from django.db import transaction
from django.db.models import F, Q
from django.db.models.functions import Coalesce, Now

from agent.errors import ProofreelError
from agent.types import Record
from agent.types import Run as Outline
from webapp.jobs.actions.states import bring_in_step, close_canceled, put_back, save_in_step
from webapp.jobs.models import Run, Status
from webapp.jobs.storable import storable_text

# A lease whose worker has not been heard of for so long is over. Seconds.
LEASE_S = 30.0
# How long a Run waits before it is tried again while a model server or renderer is down: a quarter of an hour in all,
# because a large model takes minutes to load.
OUTAGE_PAUSES_S = (5.0, 15.0, 45.0, 60.0, 120.0, 300.0, 300.0)


class LeaseLost(ProofreelError):
    """The Run was taken from this worker, which must write nothing more about it."""

    def __init__(self) -> None:
        super().__init__("The run was taken from this worker.")


class Lease(Record):
    """The right of one worker to write about one Run."""

    run_id: UUID
    token: UUID


def claim(run_id: UUID, worker: str) -> Lease | None:
    """Take a queued Run whose time has come; None when it is not there to be taken."""
    lease = Lease(run_id=run_id, token=uuid4())
    with transaction.atomic():
        taken = Run.objects.filter(Q(not_before=None) | Q(not_before__lte=Now()), id=run_id, status=Status.QUEUED)
        if not taken.update(
            status=Status.STARTED,
            lease=lease.token,
            worker=worker,
            heartbeat_at=Now(),
            starts=F("starts") + 1,
            started_at=Coalesce("started_at", Now()),
            not_before=None,
            message="",
        ):
            return None
        bring_in_step(Run.objects.values_list("job_id", flat=True).get(id=run_id))
    return lease


@contextmanager
def held(lease: Lease) -> Iterator[Run]:
    """The Run of a lease, locked for the block. Raises LeaseLost."""
    with transaction.atomic():
        run = Run.objects.select_for_update().filter(id=lease.run_id, lease=lease.token).first()
        if run is None:
            raise LeaseLost
        run.heartbeat_at = Now()
        yield run


def heartbeat(lease: Lease) -> None:
    """Say that the worker is alive. Raises LeaseLost."""
    if not Run.objects.filter(id=lease.run_id, lease=lease.token).update(heartbeat_at=Now()):
        raise LeaseLost


def stop_requested(lease: Lease) -> bool:
    """Whether the person wants the Run to end. Raises LeaseLost."""
    found = Run.objects.filter(id=lease.run_id, lease=lease.token).values_list("stop_requested_at", flat=True)
    for requested_at in found:
        return requested_at is not None
    raise LeaseLost


def give_back(lease: Lease, so_far: Outline | None = None) -> None:
    """The worker has to stop: the Run waits for another, with all that it has. Raises LeaseLost."""
    with held(lease) as run:
        if so_far:
            note_seconds(run, so_far)
        if run.stop_requested_at:
            close_canceled(run)
        else:
            put_back(run)


def postpone(lease: Lease, sentence: str, so_far: Outline | None = None) -> bool:
    """A part of ours is down: try again after a pause. False once that was tried often enough. Raises LeaseLost."""
    with held(lease) as run:
        if so_far:
            note_seconds(run, so_far)
        if run.stop_requested_at:
            close_canceled(run)
            return True
        if run.outages >= len(OUTAGE_PAUSES_S):
            save_in_step(run)
            return False
        pause_s = OUTAGE_PAUSES_S[run.outages]
        run.outages += 1
        run.message = storable_text(sentence)
        put_back(run, pause_s)
        return True


def note_seconds(run: Run, so_far: Outline) -> None:
    """Where the seconds went, so that a Run which goes on counts on."""
    run.wall_s, run.render_s = so_far.wall_s, so_far.render_s
    run.wait_s, run.overhead_s = so_far.wait_s, so_far.overhead_s
