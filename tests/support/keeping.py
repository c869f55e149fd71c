"""The real supervisor over small programs, in a process of its own, and ways to wait for what comes."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil

ROOT = Path(__file__).parents[2]
KEEPER = Path(__file__).with_name("keeper.py")
PATIENCE_S = 30.0


def eventually(holds: Callable[[], Any], patience_s: float = PATIENCE_S) -> Any:
    """What `holds` gives once it is true; fails when that takes too long."""
    deadline = time.monotonic() + patience_s
    while not (value := holds()):
        assert time.monotonic() < deadline, "it did not come true"
        time.sleep(0.02)
    return value


def is_alive(pid: int) -> bool:
    """Whether that process runs; a zombie does not."""
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def free_port() -> int:
    """A port that nobody uses now."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


class Kept:
    """A supervisor over the children of these rows, and what it has said so far."""

    def __init__(self, folder: Path, rows: list[dict[str, Any]]) -> None:
        (folder / "table.json").write_text(json.dumps(rows))
        self.folder = folder
        self._out = (folder / "said.jsonl").open("w")
        self.process = subprocess.Popen(
            [sys.executable, str(KEEPER), str(folder)],
            stdout=self._out,
            stderr=subprocess.STDOUT,
            env=os.environ | {"PYTHONPATH": str(ROOT), "HERE": str(folder)},
        )

    @property
    def said(self) -> list[dict[str, Any]]:
        """Every whole line of JSON."""
        lines = (self.folder / "said.jsonl").read_text().splitlines()
        return [json.loads(line) for line in lines if line.startswith("{") and line.endswith("}")]

    def states(self, name: str) -> list[str]:
        """The states of that child, in their order."""
        return [line["state"] for line in self.said if line.get("name") == name]

    def last(self, name: str, state: str) -> dict[str, Any]:
        """The newest line in which that child was in that state; waits for the first one."""
        return eventually(lambda: [x for x in self.said if (x.get("name"), x.get("state")) == (name, state)])[-1]

    def pids(self) -> set[int]:
        """Of every child that was ever started."""
        return {line["pid"] for line in self.said if line.get("pid")}

    def interrupt(self) -> None:
        """One Ctrl-C."""
        self.process.send_signal(signal.SIGINT)

    def stop(self) -> int:
        """One Ctrl-C; gives the exit code."""
        self.interrupt()
        return self.process.wait(PATIENCE_S)

    def close(self) -> None:
        """Leave nothing behind."""
        while self.process.poll() is None:
            self.interrupt()
            time.sleep(0.05)
        self._out.close()
