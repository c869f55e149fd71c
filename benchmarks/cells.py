"""The one cell store: measured cells as rows of JSON, appended as they are measured and never measured twice."""

import shutil
import subprocess
from datetime import UTC, datetime
from pathlib import Path

from pydantic import Field

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
    """A JSON-lines file under `results/cells`. A key that is present is done."""

    def __init__(self, path: Path) -> None:
        self._path = path
        lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
        self._cells = {cell.key: cell for cell in map(Cell.model_validate_json, filter(None, lines))}

    def get(self, key: CellKey) -> Cell | None:
        """The measured cell, or None."""
        return self._cells.get(key)

    def add(self, cell: Cell) -> None:
        """Append a cell; what is on disk is never rewritten."""
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with self._path.open("a", encoding="utf-8") as lines:
            lines.write(cell.model_dump_json() + "\n")
        self._cells[cell.key] = cell
