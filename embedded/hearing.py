"""How a child is heard: lines from its pipes as they come, and the last words of its log."""

import contextlib
import json
import os
from pathlib import Path
from typing import IO

from embedded.child import is_alive

LOG_CAP = 10 << 20
TAIL = 1 << 16


class Ear:
    """Takes lines from a pipe without waiting for them. A carriage return ends a line too."""

    def __init__(self, pipe: IO[bytes]) -> None:
        self.closed = False
        self._pipe = pipe
        self._rest = b""
        os.set_blocking(pipe.fileno(), False)

    @property
    def descriptor(self) -> int:
        """What becomes readable."""
        return self._pipe.fileno()

    def lines(self) -> list[str]:
        """The whole lines that have come since the last call."""
        while not self.closed:
            try:
                part = os.read(self.descriptor, 1 << 16)
            except BlockingIOError:
                break
            self._rest += part
            if not part:
                self.close()
        *whole, self._rest = self._rest.replace(b"\r", b"\n").split(b"\n")
        return [line.decode(errors="replace") for line in whole if line.strip()]

    def close(self) -> None:
        """Hear no more."""
        self.closed = True
        self._pipe.close()


class Log:
    """The file that a child's words go to, over all its lives."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._start = 0

    def open(self) -> IO[bytes]:
        """For a new life. A big one is put aside first. Raises OSError."""
        with contextlib.suppress(FileNotFoundError):
            if self.path.stat().st_size > LOG_CAP:
                self.path.replace(self.path.with_suffix(".log.1"))
        log = self.path.open("ab")
        self._start = log.tell()
        return log

    def add(self, line: str) -> None:
        """A line that did not get there by itself; on a full disk it is lost."""
        with contextlib.suppress(OSError), self.path.open("ab") as log:
            log.write(f"{line}\n".encode())

    def tail(self) -> str:
        """The end of what was said in this life."""
        try:
            with self.path.open("rb") as log:
                log.seek(max(self._start, log.seek(0, os.SEEK_END) - TAIL))
                return log.read().decode(errors="replace").strip()
        except OSError:
            return ""


class OwnFile:
    """A file of JSON that a child has written about itself, with its `pid`, for others to find it by."""

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._content = b""

    def remember(self) -> None:
        """Know it as ours."""
        if self._path is not None:
            with contextlib.suppress(OSError):
                self._content = self._path.read_bytes()

    def keep(self) -> None:
        """Put it back when it is gone or about a process that is.

        Another `./run` with the same cache writes it too; at its end it removes it, unless it was killed.
        """
        if self._content and self._path is not None and not _is_about_the_living(self._path):
            fresh = self._path.with_name(f"{self._path.name}.{os.getpid()}")
            with contextlib.suppress(OSError):
                fresh.touch(mode=0o600)
                fresh.write_bytes(self._content)
                fresh.replace(self._path)

    def remove(self) -> None:
        """Remove it, if it is still ours."""
        if self._content and self._path is not None:
            with contextlib.suppress(OSError):
                if self._path.read_bytes() == self._content:
                    self._path.unlink()
        self._content = b""


def _is_about_the_living(path: Path) -> bool:
    try:
        return is_alive(int(json.loads(path.read_bytes())["pid"]))
    except (OSError, ValueError, TypeError, KeyError):
        return False
