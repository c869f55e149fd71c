"""File locks between processes. They are the kernel's, so they end with their holder, however it ends."""

import fcntl
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from agent.errors import Canceled

POLL_S = 0.05


@contextmanager
def locked(path: Path, should_stop: Callable[[], bool]) -> Iterator[float]:
    """Hold the lock file exclusively; gives the seconds that were waited.

    Polled rather than blocked on, so that `should_stop` is heard. Raises Canceled when it says so before the lock
    was had, OSError when the file cannot be opened. Not re-entrant: taking it twice in one thread waits forever.
    """
    started = time.monotonic()
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
    try:
        while not _taken(descriptor):
            if should_stop():
                raise Canceled("The run was canceled.")
            time.sleep(POLL_S)
        yield time.monotonic() - started
    finally:
        # Unlocked in so many words: a child forked meanwhile shares the descriptor, and would keep the lock.
        fcntl.flock(descriptor, fcntl.LOCK_UN)
        os.close(descriptor)


def _taken(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
