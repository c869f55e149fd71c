"""Brings rows and Valkey together again, whatever was lost. Nothing changes when it is done twice, or at once."""

from datetime import timedelta
from uuid import UUID

from django.db import transaction
from django.db.models import Exists, OuterRef, Q
from django.db.models.functions import Now

from agent.types import Outcome, Record, StopReason
from webapp.jobs import queue
from webapp.jobs.actions.leases import LEASE_S
from webapp.jobs.actions.states import bring_in_step, close, close_canceled, put_back, status_of_job
from webapp.jobs.models import OPEN, Job, Run, Status

# Workers that may die with a Run before it is given up.
MOST_CRASHES = 3
GIVEN_UP = (
    f"The program that works on this run ended {MOST_CRASHES} times without a word, so it is not tried again. "
    "That is a fault of ours; what was made until then is kept."
)


class Reconciled(Record):
    """How many leases had expired, Jobs were out of step, and Runs were missing in Valkey."""

    expired: int
    out_of_step: int
    enqueued: int


def reconcile(lease_s: float = LEASE_S) -> Reconciled:
    """Put right what is wrong. Raises redis.exceptions.ConnectionError once the rows are right but Valkey is down."""
    return Reconciled(expired=end_leases(lease_s), out_of_step=mend_jobs(), enqueued=enqueue_lost())


def end_leases(lease_s: float) -> int:
    """Take Runs from workers that have not been heard of for `lease_s` seconds."""
    expired = Q(status=Status.STARTED, heartbeat_at__lt=Now() - timedelta(seconds=lease_s))
    ids = list(Run.objects.filter(expired).values_list("id", flat=True))
    return sum(end_lease(run_id, expired) for run_id in ids)


def end_lease(run_id: UUID, expired: Q) -> bool:
    """Take one Run from its worker: back into the queue, unless it was to end anyway or has killed too many."""
    with transaction.atomic():
        run = Run.objects.select_for_update(skip_locked=True).filter(expired, id=run_id).first()
        if run is None:
            return False
        run.crashes += 1
        if run.stop_requested_at:
            close_canceled(run)
        elif run.crashes >= MOST_CRASHES:
            close(run, Outcome.FAILED, StopReason.CRASHED, GIVEN_UP)
        else:
            put_back(run)
    return True


def mend_jobs() -> int:
    """Bring Jobs in step whose status is not that of their Runs, where either of them is open."""
    open_runs = Run.objects.filter(job=OuterRef("id"), status__in=OPEN)
    watched = Job.objects.filter(Q(status__in=OPEN) | Exists(open_runs)).prefetch_related("runs")
    wrong = [job.id for job in watched if job.status != status_of_job([run.status for run in job.runs.all()])]
    for job_id in wrong:
        with transaction.atomic():
            bring_in_step(job_id)
    return len(wrong)


def enqueue_lost() -> int:
    """Push the queued Runs whose time has come and that Valkey does not know.

    A Run that a worker is about to claim may be pushed once too often: whoever takes that entry finds nothing to claim.
    """
    due = Run.objects.filter(Q(not_before=None) | Q(not_before__lte=Now()), status=Status.QUEUED).order_by("queued_at")
    rows = list(due.values_list("id", "starts"))
    waiting = queue.waiting_entries() if rows else set()
    lost = 0
    for run_id, starts in rows:
        entry = queue.entry_id(run_id, starts)
        run = due.filter(id=run_id, starts=starts).first() if entry not in waiting else None
        if run:
            queue.forget(entry)
            queue.push(run.id, run.starts)
            lost += 1
    return lost
