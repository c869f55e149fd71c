"""The one cell store: measured cells as rows of JSON, appended as they are measured and never measured twice."""

import fcntl
import hashlib
import os
import shutil
import subprocess
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

from pydantic import Field, ValidationError

from agent.types import Record

RESULTS = Path(__file__).parent / "results"


def commit() -> str:
    """The commit that was checked out, with `+` when the tree had changes."""
    head, dirty = git("rev-parse", "--short", "HEAD"), git("status", "--porcelain", "--untracked-files=no")
    return head + ("+" if dirty else "")


def git(*words: str) -> str:
    """What git says about this checkout; empty outside one."""
    command = [shutil.which("git") or "git", *words]
    answer = subprocess.run(command, cwd=Path(__file__).parent, capture_output=True, text=True, check=False)
    return answer.stdout.strip()


class CellKey(Record):
    """What makes a measurement the same measurement. The commit is not part of it."""

    behaviour: str
    model: str
    strategy: str
    config: str
    suite: str
    prompt: str
    seed: int = 0
    sample: int = 0

    def digest(self) -> str:
        """A short name for files that belong to this cell."""
        return hashlib.sha256(self.model_dump_json().encode()).hexdigest()[:12]


class Cell(Record):
    """One prompt, measured once. Seconds leave out waiting; `rendered` is the paper's success."""

    key: CellKey
    rendered: bool
    accepted: bool
    outcome: str
    stop_reason: str
    message: str
    seconds: float
    model_s: float
    render_s: float
    overhead_s: float
    calls: int
    iterations: int
    input_tokens: int
    output_tokens: int
    video: str | None
    versions: dict[str, str]
    commit: str = Field(default_factory=commit)
    measured_at: str = Field(default_factory=lambda: datetime.now(UTC).isoformat(timespec="seconds"))


class CellStore:
    """A JSON-lines file under `results/cells`. A key that is present is done, whichever runner measured it."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def get(self, key: CellKey) -> Cell | None:
        """The measured cell, or None."""
        return self._read().get(key)

    def add(self, cell: Cell) -> None:
        """Append a cell; what is on disk is never rewritten, and two runners never write into one line."""
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with self._path.open("a+b") as lines:
            fcntl.flock(lines, fcntl.LOCK_EX)
            end = lines.seek(0, os.SEEK_END)
            lines.seek(max(0, end - 1))
            broken_off = lines.read(1) not in (b"", b"\n")
            lines.write((b"\n" if broken_off else b"") + cell.model_dump_json().encode() + b"\n")

    def _read(self) -> dict[CellKey, Cell]:
        text = self._path.read_text(encoding="utf-8") if self._path.exists() else ""
        cells: dict[CellKey, Cell] = {}
        for line in filter(None, text.split("\n")):
            with suppress(ValidationError):  # a line that a killed runner did not finish: its cell is measured again
                cell = Cell.model_validate_json(line)
                cells[cell.key] = cell
        return cells
