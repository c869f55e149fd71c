"""Small pinned files in wheels made on the spot, and the real 0.5B weights for tests marked `model`."""

import hashlib
import shutil
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from agent.config import default_cache
from agent.models.download import DownloadError
from agent.models.pins import Part, PinnedFile
from agent.models.progress import Progress
from agent.models.weights import fetch


def unheard(progress: Progress) -> None:
    """A report that nobody listens to."""


@pytest.fixture(scope="session")
def weights_05b() -> Path:
    """The official 0.5B file, fetched into the normal cache if it is not there yet."""
    return fetch("0.5B", default_cache(), unheard)


@pytest.fixture
def wheels(tmp_path: Path) -> Path:
    """The folder where the small wheels lie."""
    folder = tmp_path / "wheels"
    folder.mkdir()
    return folder


@pytest.fixture
def tiny(wheels: Path) -> PinnedFile:
    """A pinned file in twelve small wheels, each part of another length."""
    contents = [bytes([number]) * (100 + number) for number in range(1, 13)]
    parts = tuple(_wheel(wheels, number, content) for number, content in enumerate(contents, start=1))
    whole = b"".join(contents)
    return PinnedFile(
        file="tiny.gguf",
        bytes=len(whole),
        sha256=hashlib.sha256(whole).hexdigest(),
        origin="nobody/tiny",
        license="Apache-2.0",
        parts=parts,
    )


def _wheel(folder: Path, number: int, content: bytes) -> Part:
    module = f"tiny_part{number}"
    wheel = folder / f"{module}-1.0.0-py3-none-any.whl"
    metadata = f"{module}-1.0.0.dist-info"
    path = f"{module}/data/part{number:02d}.bin"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr(f"{module}/__init__.py", "raise SystemExit('nothing of a wheel may run')\n")
        archive.writestr(path, content)
        archive.writestr(f"{metadata}/METADATA", f"Metadata-Version: 2.1\nName: tiny-part{number}\nVersion: 1.0.0\n")
        archive.writestr(f"{metadata}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        archive.writestr(f"{metadata}/RECORD", "")
    return Part(
        package=f"tiny-part{number}",
        version="1.0.0",
        wheel=wheel.name,
        wheel_sha256=hashlib.sha256(wheel.read_bytes()).hexdigest(),
        bytes=len(content),
        path=path,
    )


class FolderDownloader:
    """Takes wheels from a folder; writes down what was asked for, and is out of reach from one part on if told so."""

    def __init__(self, wheels: Path, fails_at: str = "") -> None:
        self.asked: list[str] = []
        self._wheels = wheels
        self._fails_at = fails_at

    def __call__(self, part: Part, folder: Path, received: Callable[[int], None]) -> Path:
        self.asked.append(part.package)
        if part.package == self._fails_at:
            raise DownloadError("the package registry cannot be reached")
        received(part.bytes)
        return Path(shutil.copy(self._wheels / part.wheel, folder))


@pytest.fixture
def from_folder(wheels: Path) -> Callable[..., FolderDownloader]:
    """Makes downloaders that take the small wheels."""

    def make(fails_at: str = "") -> FolderDownloader:
        return FolderDownloader(wheels, fails_at)

    return make
