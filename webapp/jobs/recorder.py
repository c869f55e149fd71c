"""Tells the database what happens in a Run while it happens, and hears from it whether to stop."""

import time
from collections.abc import Callable, Sequence
from functools import partial

from agent.scoring.iteration import iteration_scores
from agent.types import Call, Iteration, Plan, Stage
from webapp.jobs.actions import recording
from webapp.jobs.actions.leases import Lease, LeaseLost, heartbeat, stop_requested
from webapp.jobs.files import Shelf
from webapp.jobs.patience import patiently

# How often the database is asked whether to stop, and told that the worker is alive. Seconds.
ASK_S = 0.3
HEARTBEAT_S = 5.0


class RunRecorder:
    """The agent's Recorder for one lease. `calls` are those that the Run has made before; `leaving` says whether this
    process has to end. What it writes raises LeaseLost once the Run was taken from this worker."""

    def __init__(self, lease: Lease, shelf: Shelf, calls: Sequence[Call], leaving: Callable[[], bool]) -> None:
        self._lease = lease
        self._shelf = shelf
        self._calls = list(calls)
        self._leaving = leaving
        self._stop = False
        self._asked_at = self._heard_at = time.monotonic()

    def stage(self, name: Stage, detail: str) -> None:
        """Record a stage; that it is done is recorded with how it ended."""
        if name is not Stage.DONE:
            patiently(partial(recording.record_stage, self._lease, name, detail))

    def plan(self, plan: Plan) -> None:
        """Record the plan."""
        patiently(partial(recording.record_plan, self._lease, plan))

    def call(self, call: Call) -> None:
        """Record a call."""
        patiently(partial(recording.record_call, self._lease, len(self._calls), call))
        self._calls.append(call)

    def iteration(self, iteration: Iteration) -> None:
        """Copy what was rendered into storage, then record the iteration."""
        files = self._shelf.keep(str(iteration.index), iteration.render)
        scores = iteration_scores(iteration, self._calls)
        patiently(partial(recording.record_iteration, self._lease, iteration, scores, files))

    def should_stop(self) -> bool:
        """Whether the person wants it, this process has to end, or the Run is another worker's by now."""
        if not self._stop:
            self._stop = self._leaving() or self._told_to_stop()
        return self._stop

    def _told_to_stop(self) -> bool:
        """Ask the database, which is not asked as often as this is."""
        now = time.monotonic()
        if now - self._asked_at < ASK_S:
            return False
        self._asked_at = now
        try:
            if now - self._heard_at >= HEARTBEAT_S:
                self._heard_at = now
                patiently(partial(heartbeat, self._lease))
            return patiently(partial(stop_requested, self._lease))
        except LeaseLost:
            return True
