"""The signals of the supervisor: a wish to stop, and a child that has ended. Both end a wait at once."""

import contextlib
import os
import select
import signal
from collections.abc import Iterable
from types import FrameType

STOPPING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Signals:
    """Counts the wishes to stop. Made once, in the main thread."""

    def __init__(self) -> None:
        self.wishes = 0
        self._awake, wakes = os.pipe()
        for end in (self._awake, wakes):
            os.set_blocking(end, False)
        signal.set_wakeup_fd(wakes, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda _number, _frame: None)
        for number in STOPPING:
            # Whoever started us with nohup does not want us to end with the terminal.
            if number is not signal.SIGHUP or signal.getsignal(number) is not signal.SIG_IGN:
                signal.signal(number, self._wish)

    def wait(self, descriptors: Iterable[int], longest_s: float) -> None:
        """Until a signal comes, one of the descriptors becomes readable, or the time is over."""
        select.select([self._awake, *descriptors], [], [], longest_s)
        with contextlib.suppress(BlockingIOError):
            while os.read(self._awake, 1 << 10):
                pass

    def _wish(self, _number: int, _frame: FrameType | None) -> None:
        self.wishes += 1
