"""What a child of the supervisor is: how it is started, what it needs, and how one sees that it is ready."""

import signal
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

# What the children said on their first line of stdout, by their names.
Words = Mapping[str, str]


class State(StrEnum):
    """Where a child is in its life. `failed` waits for its next start; `done` is for what ends by itself."""

    WAITING = "waiting"
    STARTING = "starting"
    READY = "ready"
    DONE = "done"
    FAILED = "failed"
    STOPPING = "stopping"
    STOPPED = "stopped"


@dataclass(frozen=True)
class Child:
    """One row of the table of children.

    It is ready when `probe` says so; without one, when it has said its first line on stdout; and with `once`, when it
    has ended with exit code 0. Exit code 3 means that its last line is a sentence for the person. A probe must answer
    at once, and may raise EmbeddedError.
    """

    name: str
    title: str
    command: Callable[[Words], Sequence[str]]
    environment: Mapping[str, str]
    needs: tuple[str, ...] = ()
    once: bool = False
    vital: bool = False  # nothing makes sense without it: when it cannot start, everything is stopped
    shows: str = ""  # lines of its stderr that begin so are progress that a person wants to see
    probe: Callable[[], bool] | None = None
    patience_s: float | None = 60.0  # until it is ready; None waits for ever
    first_signal: signal.Signals = signal.SIGTERM
    stop_s: float = 5.0
    pass_fds: tuple[int, ...] = field(default=())
    leaves: Path | None = None  # a file about itself that others look for while it is ready


STARTED = (State.STARTING, State.READY, State.STOPPING)
SATISFIED = (State.READY, State.DONE)
