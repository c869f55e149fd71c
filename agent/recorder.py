"""Who is told what happens in a Run while it happens, and who may stop it."""

from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from agent.run_folder import write_run
from agent.types import Call, Iteration, Plan, Run, Stage


class Recorder(Protocol):
    """Takes each part of a Run as soon as it exists, so that a killed worker loses at most the turn it was in."""

    def stage(self, name: Stage, detail: str) -> None:
        """The Run has entered a stage; `detail` is for people."""
        ...

    def plan(self, plan: Plan) -> None:
        """The scene plan exists."""
        ...

    def call(self, call: Call) -> None:
        """A model call has ended."""
        ...

    def iteration(self, iteration: Iteration) -> None:
        """A turn has ended in a code text, its render and its critique."""
        ...

    def should_stop(self) -> bool:
        """Whether the person who asked wants the Run to end now. Asked several times a second."""
        ...


def unwatched(name: Stage, detail: str) -> None:
    """Nobody watches."""
    del name, detail


def unstopped() -> bool:
    """Nobody stops it."""
    return False


class FolderRecorder:
    """Keeps `run.json` in a folder up to date after every event."""

    def __init__(
        self,
        folder: Path,
        head: Run,
        on_stage: Callable[[Stage, str], None] = unwatched,
        should_stop: Callable[[], bool] = unstopped,
    ) -> None:
        self.run = head
        self._folder = folder
        self._on_stage = on_stage
        self._should_stop = should_stop
        self._save()

    def stage(self, name: Stage, detail: str) -> None:
        """Pass the stage on to whoever watches."""
        self._on_stage(name, detail)

    def plan(self, plan: Plan) -> None:
        """Keep the plan."""
        self._save(plan=plan)

    def call(self, call: Call) -> None:
        """Keep a call."""
        self._save(calls=(*self.run.calls, call))

    def iteration(self, iteration: Iteration) -> None:
        """Keep an iteration."""
        self._save(iterations=(*self.run.iterations, iteration))

    def should_stop(self) -> bool:
        """As the owner of the process says."""
        return self._should_stop()

    def _save(self, **update: object) -> None:
        self.run = self.run.model_copy(update=update)
        write_run(self._folder, self.run)
