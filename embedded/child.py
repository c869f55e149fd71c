"""A child process that ends when it is told to, and when whoever started it is gone."""

import contextlib
import os
import signal
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO, Any

ZOMBIE = "Z"


class EmbeddedError(Exception):
    """Something that is needed cannot be had; `str(error)` is one clear sentence."""


def start(
    command: Sequence[str],
    log: IO[bytes] | int,
    environment: Mapping[str, str] | None = None,
    last_signal: str = "TERM",
    **options: Any,  # noqa: ANN401 (Popen's own)
) -> "subprocess.Popen[bytes]":
    """Start it in a session of its own. The kernel sends it `last_signal` when the *thread* that called this ends.

    Both streams go to `log` unless `options` say otherwise. Raises OSError.
    """
    usual: dict[str, Any] = {"stdin": subprocess.DEVNULL, "stdout": log, "stderr": log, "start_new_session": True}
    usual["env"] = dict(os.environ if environment is None else environment)
    wrapped = ["setpriv", "--pdeathsig", last_signal, "--", *command]
    return subprocess.Popen(wrapped, **usual | options)


def kill_session(leader: int) -> None:
    """Kill whatever still belongs to the session that this process began, and what descends from that.

    Not only its process group: shells and job runners give groups of their own to what they start, servers sessions.
    """
    processes = dict(_processes())
    doomed = {number for number, (_, session) in processes.items() if session == leader} | {leader}
    while young := {number for number, (parent, _) in processes.items() if parent in doomed} - doomed:
        doomed |= young
    for number in doomed & processes.keys():
        with contextlib.suppress(ProcessLookupError):
            os.kill(number, signal.SIGKILL)


def is_alive(number: int) -> bool:
    """Whether that process runs. One that has ended and that nobody has asked about yet (a zombie) does not."""
    try:
        return _facts(Path(f"/proc/{number}"))[0] != ZOMBIE
    except OSError:
        return False


def _processes() -> Iterator[tuple[int, tuple[int, int]]]:
    """Every living process: its id, its parent's, its session's."""
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        with contextlib.suppress(OSError):  # it has just ended
            state, parent, _, session, *_ = _facts(entry)
            if state != ZOMBIE:
                yield int(entry.name), (int(parent), int(session))


def _facts(process: Path) -> list[str]:
    """What the kernel says of it after its program's name: its state, its parent, its group, its session, and more."""
    # The name stands in parentheses, and may itself hold spaces and parentheses.
    return (process / "stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()


def complaint(text: str) -> str:
    """The line in which a program says why it failed: the last one that speaks of an error, else the last one."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    errors = [line for line in lines if "error" in line.lower() or "fatal" in line.lower()]
    return (errors or lines or [""])[-1]
