"""SHA-256 of big files, remembered by size and modification time: a start need not read a gigabyte again."""

import contextlib
import hashlib
import os
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from agent.types import Record


class KnownHash(Record):
    """What a file looked like when it was hashed."""

    size: int
    mtime_ns: int
    sha256: str


KNOWN = TypeAdapter(dict[str, KnownHash])


def sha256_of(path: Path, known_file: Path) -> str:
    """The file's SHA-256, from `known_file` if size and modification time still agree. Raises OSError.

    Two processes that write `known_file` at once may lose one entry, which costs one more reading later.
    """
    path = path.resolve()
    stat = path.stat()
    entry = _read(known_file).get(str(path))
    if entry and (entry.size, entry.mtime_ns) == (stat.st_size, stat.st_mtime_ns):
        return entry.sha256
    sha256 = read_sha256(path)
    with contextlib.suppress(OSError):  # a read-only cache still serves: it is only slower
        remember(path, sha256, known_file)
    return sha256


def read_sha256(path: Path) -> str:
    """The file's SHA-256 by reading all of it. Raises OSError."""
    with path.open("rb") as source:
        return hashlib.file_digest(source, "sha256").hexdigest()


def remember(path: Path, sha256: str, known_file: Path) -> None:
    """Note the hash of a file that was just read. Raises OSError."""
    path = path.resolve()
    stat = path.stat()
    entry = KnownHash(size=stat.st_size, mtime_ns=stat.st_mtime_ns, sha256=sha256)
    _write(known_file, {**_read(known_file), str(path): entry})


def _read(known_file: Path) -> dict[str, KnownHash]:
    try:
        return KNOWN.validate_json(known_file.read_bytes())
    except (FileNotFoundError, ValidationError):
        return {}


def _write(known_file: Path, known: dict[str, KnownHash]) -> None:
    known_file.parent.mkdir(parents=True, exist_ok=True)
    fresh = known_file.with_name(f"{known_file.name}.{os.getpid()}")
    fresh.write_bytes(KNOWN.dump_json(known, indent=1))
    fresh.replace(known_file)
