"""What comes out of a sandbox is hostile: files are opened by names of ours, checked, capped and cleaned."""

import os
import shutil
import stat
from pathlib import Path
from typing import IO, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from agent.plain_text import clean

REPORT_CAP = 256 << 10
Report = TypeVar("Report", bound=BaseModel)


class Hostile(Exception):
    """A file from the sandbox is missing or not what it must be; the text says which and why."""


class _Facts(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore", strict=True)


class ErrorFacts(_Facts):
    """An exception as the guest saw it."""

    type: str = Field(max_length=200)
    bases: tuple[str, ...] = Field(default=(), max_length=20)
    message: str = Field(default="", max_length=4_000)
    symbol: str | None = Field(default=None, max_length=200)
    line: int | None = Field(default=None, ge=0, le=10_000_000)
    errno: int | None = None
    filename: str | None = Field(default=None, max_length=1_000)
    origin: str = Field(default="", max_length=1_000)
    traceback: str = Field(default="", max_length=20_000)


class GuestReport(_Facts):
    """`result.json`: how far the code got and what stopped it."""

    stage: Literal["prepare", "compile", "module", "discover", "render", "done"]
    error: ErrorFacts | None = None
    scene: str | None = Field(default=None, max_length=200)
    skipped: list[str] = Field(default_factory=list, max_length=100)
    animations: int = Field(default=0, ge=0, le=1_000_000)
    still: bool = False


class Size(_Facts):
    """Pixels of a picture; no render is larger than this."""

    width: int = Field(gt=0, le=4096)
    height: int = Field(gt=0, le=4096)


class SampleReport(Size):
    """`sample.json`: the frames that were decoded, when they are shown, and the length of the video in seconds."""

    duration_s: float = Field(ge=0, le=100_000)
    times: list[float] = Field(max_length=256)
    still: Size | None = None


class SampleFailure(_Facts):
    """`sample.json` of a video that cannot be decoded."""

    error: ErrorFacts


def open_checked(folder: Path, name: str, cap: int) -> IO[bytes]:
    """Open a file of the sandbox for reading. Raises Hostile unless it is a plain file of at most `cap` bytes."""
    try:
        # O_NONBLOCK: opening a FIFO must not wait for a writer. O_NOFOLLOW: a link may lead to a file of ours.
        descriptor = os.open(folder / name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        raise Hostile(f"{name} cannot be opened: {error.strerror}") from None
    found = os.fstat(descriptor)
    if not stat.S_ISREG(found.st_mode) or found.st_nlink != 1 or found.st_size > cap:
        os.close(descriptor)
        raise Hostile(f"{name} is not a plain file of at most {cap} bytes")
    return os.fdopen(descriptor, "rb")


def read_report(folder: Path, name: str, model: type[Report]) -> Report:
    """Read a JSON report of the sandbox. Raises Hostile when it is missing or does not fit the model."""
    with open_checked(folder, name, REPORT_CAP) as file:
        content = file.read(REPORT_CAP)
    try:
        return model.model_validate_json(content)
    except ValidationError:
        raise Hostile(f"{name} does not hold what it should") from None


def copy_out(source: tuple[Path, str], target: Path, cap: int) -> None:
    """Copy a file of the sandbox to a path of ours. Raises Hostile when it is not a plain file within the cap."""
    with open_checked(*source, cap) as file:
        target.unlink(missing_ok=True)
        with target.open("xb") as out:
            shutil.copyfileobj(file, out)
    target.chmod(0o644)


def clean_log(log: Path, cap: int) -> str:
    """The first `cap` bytes of a log file as clean text."""
    with log.open("rb") as file:
        return clean(file.read(cap).decode("utf-8", errors="replace"))
