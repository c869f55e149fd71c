"""Who may use the processor: a generation and a render on the same two cores slow each other 5 to 20 times down."""

import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from pathlib import Path
from typing import Protocol

from agent.models.locks import locked


class Processor(Protocol):
    """What a model call and a render take for as long as they compute."""

    def hold(self, should_stop: Callable[[], bool]) -> AbstractContextManager[float]:
        """Hold the processor; gives the seconds waited for it. Raises Canceled if `should_stop` says so first."""
        ...


class Cores:
    """The cores of this machine, shared by every process that opens the same lock file."""

    def __init__(self, lock_file: Path) -> None:
        self._lock_file = lock_file
        self._next_file = lock_file.with_name(lock_file.name + ".next")

    @contextmanager
    def hold(self, should_stop: Callable[[], bool]) -> Iterator[float]:
        """Hold the cores; gives the seconds waited.

        Raises Canceled if `should_stop` says so while waiting. Not re-entrant.
        """
        started = time.monotonic()
        self._lock_file.parent.mkdir(parents=True, exist_ok=True)
        with ExitStack() as held:
            # Whoever waits is next in line: without this, a loop that lets go for a moment and takes the cores
            # again would win against every waiter, who looks only each 50 ms.
            with locked(self._next_file, should_stop):
                held.enter_context(locked(self._lock_file, should_stop))
            yield time.monotonic() - started


class FreeCores:
    """The processor when the model answers elsewhere: there is nothing to share, so nobody waits."""

    def hold(self, should_stop: Callable[[], bool]) -> AbstractContextManager[float]:
        """Never waits, and never asks `should_stop`."""
        del should_stop
        return nullcontext(0.0)
