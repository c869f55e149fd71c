"""How a worker ends a Run."""

from agent.types import Outcome, StopReason
from agent.types import Run as Outline
from webapp.jobs.actions.leases import Lease, held, note_seconds
from webapp.jobs.actions.recording import RenderFiles
from webapp.jobs.actions.states import close, close_canceled
from webapp.jobs.storable import storable_record, storable_records


def finish_run(lease: Lease, ended: Outline, final: RenderFiles) -> None:
    """The agent has ended the Run, as it says there; `final` is what it delivers. Raises LeaseLost."""
    with held(lease) as run:
        note_seconds(run, ended)
        run.plan = storable_record(ended.plan) if ended.plan else None
        run.questions = storable_records(ended.questions)
        run.best_iteration = ended.best_iteration
        run.final_render = storable_record(ended.final_render) if ended.final_render else None
        run.final_video, run.final_still = final.video, final.still
        run.scores = storable_records(ended.scores)
        close(
            run,
            ended.outcome or Outcome.FAILED,
            ended.stop_reason or StopReason.CRASHED,
            ended.message,
        )


def fail_run(lease: Lease, reason: StopReason, sentence: str) -> None:
    """The Run has ended without the agent's word; canceled when that was wanted anyway. Raises LeaseLost."""
    with held(lease) as run:
        if run.stop_requested_at:
            close_canceled(run)
        else:
            close(run, Outcome.FAILED, reason, sentence)
