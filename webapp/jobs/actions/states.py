"""How a Run moves from state to state, and its Job with it. Callers hold the Run's row in a transaction."""

from collections.abc import Sequence
from datetime import timedelta
from uuid import UUID

from django.db import transaction
from django.db.models.functions import Now
from django.utils import timezone

from agent.types import Outcome, Stage, StopReason
from webapp.jobs import queue
from webapp.jobs.models import Job, Run, Status
from webapp.jobs.storable import storable_text

ENDED_AS = {
    Outcome.ACCEPTED: Status.FINISHED,
    Outcome.BEST_EFFORT: Status.FINISHED,
    Outcome.FAILED: Status.FAILED,
    Outcome.CANCELED: Status.CANCELED,
}


def status_of_job(runs: Sequence[str]) -> str:
    """The status of a Job whose Runs, oldest first, have these."""
    for status in (Status.STARTED, Status.QUEUED):
        if status in runs:
            return status
    return runs[-1]


def save_in_step(run: Run) -> None:
    """Save the Run and bring its Job to where its Runs are; whoever watches the Job sees that something changed."""
    run.save()
    bring_in_step(run.job_id)


def bring_in_step(job_id: UUID) -> None:
    """Set a Job's status by its Runs, and count the change. Locks the Job's row: always after those of Runs."""
    job = Job.objects.select_for_update().get(id=job_id)
    job.status = status_of_job(list(job.runs.order_by("number").values_list("status", flat=True)))
    job.version += 1
    job.save(update_fields=["status", "version"])


def enter_stage(run: Run, stage: Stage, detail: str = "") -> None:
    """Note where a Run stands."""
    run.stage, run.stage_detail = stage.value, storable_text(detail, 200)


def put_back(run: Run, pause_s: float = 0.0) -> None:
    """Into the queue again, with everything that it has; not before `pause_s` seconds have passed."""
    release(run, Status.QUEUED)
    enter_stage(run, Stage.QUEUED)
    run.not_before = Now() + timedelta(seconds=pause_s) if pause_s else None  # read by the same clock
    save_in_step(run)
    if not pause_s:
        enqueue_on_commit(run)


def close(run: Run, outcome: Outcome, reason: StopReason, message: str) -> None:
    """The Run has ended."""
    release(run, ENDED_AS[outcome])
    enter_stage(run, Stage.DONE)
    run.outcome, run.stop_reason, run.message = outcome.value, reason.value, storable_text(message)
    run.ended_at, run.not_before = timezone.now(), None
    save_in_step(run)


def close_canceled(run: Run) -> None:
    """The Run ends because the person wanted it to."""
    close(run, Outcome.CANCELED, StopReason.CANCELED, "The run was canceled.")


def release(run: Run, status: Status) -> None:
    """No worker has it any more."""
    run.status, run.lease, run.heartbeat_at = status, None, None


def enqueue_on_commit(run: Run) -> None:
    """Tell the workers once the row can be seen. With Valkey down the row waits for the reconciler."""
    run_id, starts = run.id, run.starts

    def push() -> None:  # robust callbacks need a name, so no partial
        queue.push(run_id, starts)

    transaction.on_commit(push, robust=True)
