"""One supervisor for a data folder: the lock, the sockets folder, and what is written down for others to find."""

import contextlib
import fcntl
import json
import os
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from embedded.child import EmbeddedError
from embedded.settings import Settings

# A socket's whole path may have 107 characters.
LONGEST_FOLDER = 60
PREFIX = "proofreel-"
LEAST_FREE_BYTES = 200 << 20


class Instance:
    """The right to run on a data folder. Made at once; raises EmbeddedError when the folder cannot be used."""

    def __init__(self, settings: Settings) -> None:
        self.sockets = Path()
        self.after_crash = False  # the one before was killed: what it started may still be ending
        self.settings = settings
        self._status = settings.run / "status.json"
        self._environment = settings.run / "environment.json"
        self._lock = -1
        try:
            settings.data.mkdir(mode=0o711, parents=True, exist_ok=True)  # may be passed through, not read
            for folder in (settings.run, settings.logs, settings.data / "media", settings.data / "work"):
                folder.mkdir(mode=0o700, exist_ok=True)
            self._lock = os.open(settings.run / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            with tempfile.TemporaryFile(dir=settings.run):
                free = shutil.disk_usage(settings.data).free
        except OSError as error:
            reason = error.strerror or error
            raise EmbeddedError(f"The data folder {settings.data} cannot be used: {reason}; {_elsewhere()}") from error
        if free < LEAST_FREE_BYTES:
            raise EmbeddedError(
                f"The disk is full: there are {free >> 20} MB free in {settings.data}, "
                f"and at least {LEAST_FREE_BYTES >> 20} MB are needed; free some space, or {_elsewhere()}"
            )

    def claim(self) -> bool:
        """Take the right to run here; False when another supervisor has it."""
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        left = self.status()
        if left is not None:
            self.after_crash = True
            self._forget(Path(left.get("sockets") or "/"))
        self.sockets = _short_private_folder()
        return True

    def release(self) -> None:
        """Leave nothing behind but the data."""
        self._forget(self.sockets)
        fcntl.flock(self._lock, fcntl.LOCK_UN)

    def status(self) -> dict[str, Any] | None:
        """What the supervisor that runs here has written down last."""
        return _read(self._status)

    def environment(self) -> dict[str, str] | None:
        """The settings by which others find the services that run here; None unless it is open to others."""
        return _read(self._environment)

    def write_status(self, status: Mapping[str, Any]) -> None:
        """Write it down at once or not at all; it holds sign-in links and is for its owner only. Raises OSError."""
        _write(self._status, {**status, "sockets": str(self.sockets)})

    def write_environment(self, environment: Mapping[str, str]) -> None:
        """Let others find the services. Raises OSError."""
        _write(self._environment, environment)

    def _forget(self, sockets: Path) -> None:
        for file in (self._environment, self._status):
            with contextlib.suppress(OSError):
                file.unlink(missing_ok=True)
        if sockets.name.startswith(PREFIX):
            shutil.rmtree(sockets, ignore_errors=True)


def _short_private_folder() -> Path:
    folder = Path(tempfile.gettempdir())
    if len(str(folder)) > LONGEST_FOLDER:
        folder = Path("/tmp")  # noqa: S108 (mkdtemp makes a private folder in it)
    try:
        return Path(tempfile.mkdtemp(prefix=PREFIX, dir=folder))
    except OSError as error:
        raise EmbeddedError(f"No folder for sockets can be made in {folder}: {error.strerror}.") from error


def _elsewhere() -> str:
    return "set PROOFREEL_DATA to a folder on another disk."


def _read(file: Path) -> dict[str, Any] | None:
    try:
        found = json.loads(file.read_bytes())
    except (OSError, ValueError):
        return None
    return found if isinstance(found, dict) else None


def _write(file: Path, content: Mapping[str, Any]) -> None:
    fresh = file.with_name(f"{file.name}.new")
    fresh.unlink(missing_ok=True)
    with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as sink:
        json.dump(content, sink)
    fresh.replace(file)
