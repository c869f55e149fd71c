"""The folder, uid and mode of one render: made before it, removed after it."""

import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from agent.errors import InfrastructureError
from agent.renderer.sandbox import Mode, hand_over


@dataclass(frozen=True)
class Ground:
    """What every render of a server shares."""

    mode: Mode
    bytecode: Path
    folder: Path


@dataclass(frozen=True)
class Place:
    """A private folder for one render; nobody but us can enter `root`, the sandbox gets folders in it."""

    root: Path
    mode: Mode
    uid: int
    bytecode: Path

    @property
    def reads(self) -> Path:
        """Files that the second sandbox may read."""
        return self.root / "reads"

    def new_folder(self, name: str) -> Path:
        """A folder that belongs to the sandbox."""
        made = self.root / name
        made.mkdir(mode=0o700)
        hand_over(made, self.mode, self.uid)
        return made

    def give(self, name: str, text: str) -> None:
        """Write a file for the sandbox into one of its folders, before anything hostile runs there."""
        file = self.root / name
        file.write_text(text, encoding="ascii")
        file.chmod(0o600)
        hand_over(file, self.mode, self.uid)


@contextmanager
def place(ground: Ground, uid: int) -> Iterator[Place]:
    """A Place that is removed at the end with whatever hostile code has left in it."""
    root = Path(tempfile.mkdtemp(prefix="render-", dir=ground.folder))
    try:
        made = Place(root=root, mode=ground.mode, uid=uid, bytecode=ground.bytecode)
        # Readable to all inside `root`, which only we can enter: the sandbox's uid is another.
        made.reads.mkdir(mode=0o755)
        yield made
    finally:
        remove(root)


def remove(root: Path) -> None:
    """Remove a folder that hostile code has written to. Raises InfrastructureError when something stays."""
    try:
        shutil.rmtree(root)
    except (OSError, RecursionError):
        # Folders closed to us, or nested deeper than Python can walk.
        for command in (["chmod", "-R", "u+rwX"], ["rm", "-rf", "--one-file-system"]):
            subprocess.run([*command, "--", str(root)], capture_output=True, check=False)
        if root.exists():
            raise InfrastructureError(f"The folder of a render cannot be removed: {root}") from None
