"""Starts one sandbox and watches it: whatever goes beyond a limit is ended with all its children."""

import os
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

import psutil  # type: ignore[import-untyped]

from agent.errors import InfrastructureError
from agent.renderer import seccomp
from agent.renderer.sandbox import Box, Mode, arguments
from agent.renderer.usage import nameless_bytes, resident_bytes, stored_bytes

# Until the guest has announced itself, its imports may take this long on a busy machine.
START_S = 60.0
_FAST_POLL_S = 0.02
_POLL_S = 0.1
_DISK_POLL_S = 0.3
_END_S = 5.0


class Why(StrEnum):
    """What ended a sandbox."""

    EXIT = "exit"
    START = "start"
    WALL = "wall"
    MEMORY = "memory"
    DISK = "disk"
    OUTPUT = "output"
    PROCESSES = "processes"
    STOPPED = "stopped"


@dataclass(frozen=True)
class Ending:
    """How a sandbox ended: `code` is its exit code (128 + n for signal n), `ready` whether its imports were done."""

    why: Why
    code: int
    ready: bool
    wall_s: float


def run(mode: Mode, box: Box, log: Path, should_stop: Callable[[], bool]) -> Ending:
    """Run a sandbox to its end in this thread, which must outlive it: the sandbox dies with the thread.

    stdout and stderr go to `log`, stdin is closed. When this returns, no process of it is left; raises
    InfrastructureError when one cannot be ended.
    """
    with _started(mode, box, log) as (process, ready_fd):
        watch = _Watch(process, box, log, ready_fd)
        try:
            why = watch.until_end(should_stop)
        finally:
            watch.end_tree()
        return Ending(why, _exit_code(process), watch.is_ready(), time.monotonic() - watch.started)


@contextmanager
def _started(mode: Mode, box: Box, log: Path) -> Iterator[tuple["subprocess.Popen[bytes]", int]]:
    ready_read, ready_write = os.pipe()
    os.set_blocking(ready_read, False)
    filter_fd = seccomp.descriptor()
    output = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND, 0o600)
    try:
        try:
            process = subprocess.Popen(
                arguments(mode, box, filter_fd, ready_write),
                # bubblewrap's own environment can be read inside the sandbox through /proc/1/environ.
                env={"PATH": "/usr/bin:/bin"},
                cwd="/",
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                start_new_session=True,
                pass_fds=(filter_fd, ready_write),
            )
        finally:
            for descriptor in (ready_write, filter_fd, output):
                os.close(descriptor)
        try:
            yield process, ready_read
        finally:
            process.kill()
            process.wait()
    finally:
        os.close(ready_read)


class _Watch:
    def __init__(self, process: "subprocess.Popen[bytes]", box: Box, log: Path, ready_fd: int) -> None:
        self.process = process
        self.box = box
        self.log = log
        self.ready_fd = ready_fd
        self.started = time.monotonic()
        self.ready_at: float | None = None
        self.disk_checked_at = self.started
        self.root = psutil.Process(process.pid)
        self.tree: list[psutil.Process] = []

    def until_end(self, should_stop: Callable[[], bool]) -> Why:
        """Wait for the end or for the first limit that is exceeded."""
        while True:
            poll_s = _FAST_POLL_S if time.monotonic() - self.started < 1 else _POLL_S
            try:
                self.process.wait(timeout=poll_s)
            except subprocess.TimeoutExpired:
                pass
            else:
                # What was written last may be what exceeded a limit.
                return self._storage() or Why.EXIT
            exceeded = Why.STOPPED if should_stop() else self._exceeded()
            if exceeded is not None:
                return exceeded

    def is_ready(self) -> bool:
        """Whether the guest has announced that its imports are done."""
        if self.ready_at is None:
            try:
                if os.read(self.ready_fd, 1):
                    self.ready_at = time.monotonic()
            except BlockingIOError:
                pass
        return self.ready_at is not None

    def end_tree(self) -> None:
        """Kill the sandbox and everything it has started, daemons too, and wait until they are gone.

        Raises InfrastructureError when one of them stays.
        """
        self._look()
        for process in (self.root, *self.tree):
            try:
                process.kill()
            except psutil.NoSuchProcess:
                continue
        self.process.wait()
        deadline = time.monotonic() + _END_S
        while any(map(_is_alive, self.tree)) and time.monotonic() < deadline:
            time.sleep(_FAST_POLL_S)
        left = [process.pid for process in self.tree if _is_alive(process)]
        if left:
            raise InfrastructureError(f"Processes of a render cannot be ended: {left}")

    def _exceeded(self) -> Why | None:
        now = time.monotonic()
        if self.is_ready() and self.ready_at is not None:
            if now - self.ready_at > self.box.limits.wall_s:
                return Why.WALL
        elif now - self.started > START_S:
            return Why.START
        self._look()
        if resident_bytes(self.tree, self.box.limits.memory_bytes) > self.box.limits.memory_bytes:
            return Why.MEMORY
        # The kernel's own limit on processes does not bind real root; bubblewrap's own processes count too.
        if len(self.tree) > self.box.limits.processes + 4:
            return Why.PROCESSES
        if self.log.stat().st_size > self.box.limits.output_bytes:
            return Why.OUTPUT
        if now - self.disk_checked_at > _DISK_POLL_S:
            self.disk_checked_at = now
            return self._storage()
        return None

    def _storage(self) -> Why | None:
        if self.log.stat().st_size > self.box.limits.output_bytes:
            return Why.OUTPUT
        used = stored_bytes(self.box.folders) + nameless_bytes(self.tree)
        return Why.DISK if used > self.box.limits.disk_bytes else None

    def _look(self) -> None:
        try:
            self.tree = self.root.children(recursive=True)
        except psutil.NoSuchProcess:
            return


def _is_alive(process: psutil.Process) -> bool:
    # A zombie has ended: it holds nothing, and how soon it is reaped is up to the machine's init.
    try:
        return bool(process.is_running() and process.status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False


def _exit_code(process: "subprocess.Popen[bytes]") -> int:
    code = process.returncode
    return code if code >= 0 else 128 - code
