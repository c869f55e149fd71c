"""What a sandbox uses: memory of its processes, and bytes in its folders and in files that have no name."""

import itertools
import os
import stat
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import psutil  # type: ignore[import-untyped]

# More entries than any render makes: a folder full of empty files costs no bytes and still must end.
_MAX_ENTRIES = 20_000
_UNCOUNTED = 1 << 62


def resident_bytes(tree: Iterable[psutil.Process], limit: int) -> int:
    """Memory of the tree in bytes; pages shared after a fork are shared out only when it matters."""
    total = sum(_each(tree, lambda process: int(process.memory_info().rss)))
    if total <= limit:
        return total
    return sum(_each(tree, lambda process: int(process.memory_full_info().pss)))


def nameless_bytes(tree: Iterable[psutil.Process]) -> int:
    """Bytes in files without a name: deleted while open, or made by memfd_create."""
    sizes: dict[tuple[int, int], int] = {}
    for process in tree:
        try:
            entries = list(Path(f"/proc/{process.pid}/fd").iterdir())
        except OSError:
            continue
        for entry in entries:
            try:
                found = entry.stat()
            except OSError:
                continue
            if stat.S_ISREG(found.st_mode) and found.st_nlink == 0:
                sizes[found.st_dev, found.st_ino] = found.st_blocks * 512
    return sum(sizes.values())


def _each(tree: Iterable[psutil.Process], measure: Callable[[psutil.Process], int]) -> Iterator[int]:
    for process in tree:
        try:
            yield measure(process)
        except psutil.Error:
            continue


def stored_bytes(folders: Iterable[Path]) -> int:
    """Bytes on disk under the folders, links not followed. More than any limit when they cannot be counted."""
    total, entries, waiting = 0, 0, [str(folder) for folder in folders]
    while waiting:
        try:
            with os.scandir(waiting.pop()) as listing:
                found = list(itertools.islice(listing, _MAX_ENTRIES + 1))
        except (FileNotFoundError, NotADirectoryError):
            continue
        except OSError:
            # A path that is too long, or a folder closed to us: made to hide what is in it.
            return _UNCOUNTED
        entries += len(found)
        if entries > _MAX_ENTRIES:
            return _UNCOUNTED
        for entry in found:
            if entry.is_dir(follow_symlinks=False):
                waiting.append(entry.path)
            else:
                total += _blocks(entry)
    return total


def _blocks(entry: "os.DirEntry[str]") -> int:
    try:
        return entry.stat(follow_symlinks=False).st_blocks * 512
    except OSError:
        return 0
