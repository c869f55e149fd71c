"""Ending a child process that we started."""

import subprocess


def end(process: "subprocess.Popen[bytes]", patience_s: float) -> None:
    """Ask it to stop, wait for at most `patience_s` seconds, then kill it; it is gone and waited for afterwards."""
    process.terminate()
    try:
        process.wait(timeout=patience_s)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
