"""A supervisor over small programs, a folder for sockets, and a process that has ended."""

import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from keeping import Kept, eventually, is_alive


@pytest.fixture
def keep(tmp_path: Path) -> Iterator[Callable[..., Kept]]:
    """Starts a supervisor over these rows."""
    started: list[Kept] = []

    def make(*rows: dict[str, Any]) -> Kept:
        started.append(Kept(tmp_path, list(rows)))
        return started[-1]

    yield make
    for kept in started:
        kept.close()


@pytest.fixture
def sockets() -> Iterator[Path]:
    """A short folder; a socket's path must not be long."""
    folder = Path(tempfile.mkdtemp(prefix="pr-"))
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def zombie() -> Iterator[int]:
    """A process that has ended and that nobody has asked about."""
    process = subprocess.Popen(["true"])
    eventually(lambda: not is_alive(process.pid))
    yield process.pid
    process.wait()
