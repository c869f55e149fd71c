"""The life of child processes that we start: how they end when we say so, and when we are gone."""

import ctypes
import os
import signal
import subprocess

_PR_SET_PDEATHSIG = 1


def end(process: "subprocess.Popen[bytes]", patience_s: float) -> None:
    """Ask it to stop, wait for at most `patience_s` seconds, then kill it; it is gone and waited for afterwards."""
    process.terminate()
    try:
        process.wait(timeout=patience_s)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def end_with_parent(parent: int, last_signal: signal.Signals) -> None:
    """Called in the child: have the kernel send it that signal when the *thread* that started it ends.

    Raises SystemExit when the process `parent` is gone already.
    """
    ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, last_signal, 0, 0, 0)
    if os.getppid() != parent:
        raise SystemExit(0)
