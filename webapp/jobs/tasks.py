"""What workers carry out. The boundary at which every error of a Run becomes its end, or another try."""

import logging
from functools import partial
from pathlib import Path
from uuid import UUID

from django.db import InterfaceError, OperationalError
from rq.timeouts import JobTimeoutException

from agent.config import AgentConfig
from agent.errors import CannotStart, InfrastructureError
from agent.loop import Agent
from agent.types import Run as Outline
from agent.types import StopReason
from agent.workbench import Parts
from webapp.endpoints.connection import connected
from webapp.jobs.actions.ending import fail_run, finish_run
from webapp.jobs.actions.leases import Lease, LeaseLost, claim, give_back, postpone
from webapp.jobs.actions.recording import record_model
from webapp.jobs.files import Shelf
from webapp.jobs.history import run_record
from webapp.jobs.models import Run
from webapp.jobs.patience import patiently
from webapp.jobs.recorder import RunRecorder
from webapp.jobs.workplace import Workplace

log = logging.getLogger(__name__)

HUNG = "The run did not end by itself when its time was up, so it was ended."
BROKE = "Something of ours broke while this was worked on ({}); its details are in the log of the worker."

_workplace: Workplace | None = None


def work_at(workplace: Workplace) -> None:
    """Say where the Runs of this process, and of its work-horses, are carried out."""
    global _workplace  # noqa: PLW0603 (rq hands a task nothing but ids)
    _workplace = workplace


def run_agent(run_id: str) -> None:
    """Carry out a queued Run; nothing happens when there is nothing to claim."""
    if _workplace is None:
        raise RuntimeError("Runs are carried out by `manage.py work`.")
    carry_out(UUID(run_id), _workplace)


def carry_out(run_id: UUID, workplace: Workplace) -> None:
    """Claim a Run and bring it to its end, whatever comes. Errors of the database itself propagate."""
    lease = patiently(partial(claim, run_id, workplace.name))
    if lease is None:
        log.info("run %s is not there to be taken", run_id)
        return
    try:
        work_on(lease, workplace)
    except LeaseLost:
        log.warning("run %s was taken from this worker", run_id)


def work_on(lease: Lease, workplace: Workplace) -> None:
    """Let the agent work; an error is an end with a reason, or another try later.

    Raises LeaseLost, and what says that Postgres is away: then the lease runs out, and another worker goes on.
    """
    try:
        with workplace.run_folder(lease) as folder:
            run_in(folder, lease, workplace)
    except (LeaseLost, OperationalError, InterfaceError):
        raise
    except InfrastructureError as outage:
        if not set_aside(lease, workplace, str(outage)):
            fail(lease, StopReason.INFRASTRUCTURE, f"{outage} Trying again did not help.")
    except CannotStart as error:
        fail(lease, StopReason.INFRASTRUCTURE, str(error))
    except JobTimeoutException:
        log.error("run %s hung and was ended", lease.run_id)
        fail(lease, StopReason.TIME_LIMIT, HUNG)
    except OSError as error:
        log.exception("run %s could not be kept", lease.run_id)
        fail(lease, StopReason.INFRASTRUCTURE, f"The run could not be kept: {error.strerror or error}.")
    except Exception as error:
        log.exception("run %s crashed", lease.run_id)
        fail(lease, StopReason.CRASHED, BROKE.format(type(error).__name__))


def run_in(folder: Path, lease: Lease, workplace: Workplace) -> None:
    """Go on with the Run where its rows stand, and record how it ends."""
    run, history = patiently(partial(load, lease))
    workplace.renderer.check()  # before a model call is spent on what could not be rendered
    connection = connected(run.endpoint, workplace.settings, len(history.calls))
    patiently(partial(record_model, lease, connection.model.name, workplace.versions))
    shelf = Shelf(lease.run_id, folder)
    shelf.put_back(run)
    recorder = RunRecorder(lease, shelf, history.calls, workplace.leaving.is_set)
    parts = Parts(connection.model, workplace.renderer, connection.processor, workplace.examples)
    config = AgentConfig.model_validate(run.config)
    ended = Agent(parts, folder).run(history.prompt, config, recorder, history=history)
    conclude(lease, ended, shelf, workplace)


def load(lease: Lease) -> tuple[Run, Outline]:
    """The Run of a lease with everything that it has, as rows and as the agent's record."""
    everything = Run.objects.select_related("endpoint").prefetch_related("calls", "iterations")
    run = everything.get(id=lease.run_id)
    return run, run_record(run)


def conclude(lease: Lease, ended: Outline, shelf: Shelf, workplace: Workplace) -> None:
    """End the Run as the agent did, unless it shall go on elsewhere or later."""
    if ended.stop_reason is StopReason.CANCELED and workplace.leaving.is_set():
        patiently(partial(give_back, lease, ended))
        return
    if ended.stop_reason is StopReason.INFRASTRUCTURE:
        if set_aside(lease, workplace, ended.message, ended):
            return
        ended = ended.model_copy(update={"message": blameless(ended.message)})
    patiently(partial(finish_run, lease, ended, shelf.keep("final", ended.final_render)))


def set_aside(lease: Lease, workplace: Workplace, sentence: str, so_far: Outline | None = None) -> bool:
    """A part of ours is down: have the Run go on later. False when that was tried often enough."""
    if workplace.leaving.is_set():  # what it needs is being stopped as well
        patiently(partial(give_back, lease, so_far))
        return True
    log.warning("run %s waits: %s", lease.run_id, sentence)
    return patiently(partial(postpone, lease, blameless(sentence), so_far))


def fail(lease: Lease, reason: StopReason, sentence: str) -> None:
    """End a Run that the agent could not end. Raises LeaseLost."""
    patiently(partial(fail_run, lease, reason, blameless(sentence)))


def blameless(sentence: str) -> str:
    """The sentence, so that nobody looks for the fault in what was asked."""
    return sentence if "the prompt's fault" in sentence else f"{sentence} That is not the prompt's fault."
