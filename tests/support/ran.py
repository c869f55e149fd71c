"""`./run` itself, as a person starts it, on data and a port of its own."""

import json
import os
import signal
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import psutil
from keeping import PATIENCE_S, ROOT, eventually

START_S = 180.0
# What the tests around us set for themselves.
OF_TESTS = ("DATABASE_URL", "REDIS_URL", "SECRET_KEY", "BOOT_ID", "RENDER_SOCKET", "DJANGO_SETTINGS_MODULE", "PORT")
OF_MODELS = ("LLM_BASE_URL", "LLM_MODEL", "LLM_API_KEY", "MODEL_FILE", "MODEL_SIZE", "WORKERS")


def settings_for(data: Path, port: int, script: list[str] | None = None, **others: str) -> dict[str, str]:
    """The environment of a `./run` on that data, with a scripted model if there is a script."""
    clean = {name: value for name, value in os.environ.items() if name not in (*OF_TESTS, *OF_MODELS)}
    mine = {"PROOFREEL_DATA": str(data), "PORT": str(port)}
    if script is not None:
        file = data.with_name(f"{data.name}-script.json")
        file.write_text(json.dumps(script))
        mine |= {"LLM_BASE_URL": f"scripted:{file}", "WORKERS": "1"}
    return clean | mine | others


def run(
    environment: Mapping[str, str], *arguments: str, prefix: tuple[str, ...] = ()
) -> subprocess.CompletedProcess[str]:
    """A `./run` that ends by itself."""
    command = [*prefix, str(ROOT / "run"), *arguments]
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=START_S, cwd="/")


def left_over(data: Path) -> list[str]:
    """The processes that still run on that data."""
    found = []
    for process in psutil.process_iter():
        try:
            if process.environ().get("PROOFREEL_DATA") == str(data) and process.status() != psutil.STATUS_ZOMBIE:
                found.append(" ".join(process.cmdline()))
        except (psutil.NoSuchProcess, psutil.AccessDenied):
            continue
    return found


class Ran:
    """A `./run` that keeps running until it is stopped."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self.data = Path(environment["PROOFREEL_DATA"])
        self.environment = environment
        self._out = self.data.with_name(f"{self.data.name}-said.txt")
        with self._out.open("w") as out:
            self.process = subprocess.Popen(
                [str(ROOT / "run")], env=environment, stdout=out, stderr=subprocess.STDOUT, cwd="/"
            )

    @property
    def said(self) -> str:
        """Everything on its terminal."""
        return self._out.read_text()

    @property
    def status(self) -> dict[str, Any]:
        """What it has written down; empty while it has not."""
        try:
            return dict(json.loads((self.data / "run" / "status.json").read_text()))
        except FileNotFoundError:
            return {}

    def until(self, holds: Callable[[dict[str, Any]], Any]) -> Any:
        """What `holds` gives for its status once that is true."""

        def look() -> Any:
            assert self.process.poll() is None, self.said
            return self.status and holds(self.status)

        return eventually(look, START_S)

    def state(self, name: str) -> str:
        """Of one service."""
        return str(self.status["services"][name]["state"])

    def pid(self, name: str) -> int:
        """Of one service that runs."""
        return int(self.until(lambda status: status["services"][name]["pid"]))

    def stop(self, number: signal.Signals = signal.SIGINT) -> int:
        """Send it that signal once; gives the exit code."""
        self.process.send_signal(number)
        return self.process.wait(PATIENCE_S)

    def close(self) -> None:
        """Leave nothing behind."""
        if self.process.poll() is None:
            self.stop()
