"""A child process that ends when it is told to, and when whoever started it is gone."""

import os
import signal
import subprocess
from collections.abc import Mapping, Sequence
from typing import IO, Any


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
    options = {"stdin": subprocess.DEVNULL, "stdout": log, "stderr": log, "start_new_session": True} | options
    wrapped = ["setpriv", "--pdeathsig", last_signal, "--", *command]
    return subprocess.Popen(wrapped, env=dict(environment if environment is not None else os.environ), **options)


def end(process: "subprocess.Popen[bytes]", patience_s: float, first_signal: int = signal.SIGTERM) -> bool:
    """Ask it to stop, wait for at most `patience_s` seconds, then kill its session; False when it had to be killed."""
    if process.poll() is None:
        process.send_signal(first_signal)
    try:
        process.wait(timeout=patience_s)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        return False
    return True
