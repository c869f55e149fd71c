"""What a person sees in the terminal: calm lines, and one line of progress that is rewritten."""

import contextlib
import time
from typing import TextIO

QUIET_S = 15.0


class Terminal:
    """Lines on a stream. That its reader has left stops nothing."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._rewrites = stream.isatty()
        self._unfinished = False
        self._shown_at = float("-inf")

    def say(self, line: str) -> None:
        """One line; what was progress is wiped away before it."""
        self._write(f"{self._wiped()}{line}\n")

    def show(self, progress: str) -> None:
        """Progress: one line that is rewritten on a terminal, else a line now and then."""
        if self._rewrites:
            self._write(f"\r\x1b[K{progress}")
            self._unfinished = True
        elif time.monotonic() - self._shown_at >= QUIET_S:
            self._shown_at = time.monotonic()
            self._write(f"{progress}\n")

    def _wiped(self) -> str:
        wipe, self._unfinished = "\r\x1b[K" if self._unfinished else "", False
        return wipe

    def _write(self, text: str) -> None:
        with contextlib.suppress(OSError, ValueError):
            self._stream.write(text)
            self._stream.flush()
