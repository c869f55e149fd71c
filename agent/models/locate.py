"""Which weights the embedded model uses: the file that the person named, or the official one of the chosen size.

`python -m agent.models.locate` finds or fetches them: progress on stderr, then one line of JSON on stdout.
"""

import argparse
import json
import signal
import sys
import time
from pathlib import Path
from types import FrameType

from agent.config import Settings, read_settings
from agent.errors import CannotStart
from agent.models.hashes import sha256_of
from agent.models.pins import pinned_files
from agent.models.progress import Progress
from agent.models.weights import Report, fetch, known_hashes
from agent.types import Record

GGUF_MAGIC = b"GGUF"
LINE_S = 1.0


class Weights(Record):
    """A weights file that is there. `official` says that its hash is one that we pin."""

    path: Path
    sha256: str
    official: bool

    @property
    def name(self) -> str:
        """The name under which it is served."""
        return self.path.stem.lower()

    @property
    def note(self) -> str:
        """What the person should know about it; empty when there is nothing to say."""
        return "" if self.official else f"{self.path.name} is not the official file (SHA-256 {self.sha256})."


def locate(settings: Settings, report: Report) -> Weights:
    """MODEL_FILE if it is set, else the official file of MODEL_SIZE from the cache, fetched if need be.

    Raises CannotStart with one sentence.
    """
    if settings.model_file is None:
        path = fetch(settings.model_size, settings.cache, report)
        return Weights(path=path, sha256=pinned_files()[settings.model_size].sha256, official=True)
    path = settings.model_file.expanduser().resolve()
    try:
        with path.open("rb") as source:
            magic = source.read(len(GGUF_MAGIC))
        sha256 = sha256_of(path, known_hashes(settings.cache))
    except OSError as error:
        raise CannotStart(f"MODEL_FILE={settings.model_file} cannot be read: {error.strerror}.") from error
    if magic != GGUF_MAGIC:
        raise CannotStart(f"MODEL_FILE={settings.model_file} is not a GGUF file.")
    return Weights(path=path, sha256=sha256, official=sha256 in {pinned.sha256 for pinned in pinned_files().values()})


class Lines:
    """Progress as lines, at most one a second, for a program that shows them in its own way."""

    def __init__(self) -> None:
        self._last = float("-inf")

    def show(self, progress: Progress) -> None:
        """Write this moment down, unless the last one was just now."""
        if time.monotonic() - self._last >= LINE_S:
            self._last = time.monotonic()
            sys.stderr.write(f"{progress.sentence()}\n")
            sys.stderr.flush()


def main(arguments: list[str] | None = None) -> int:
    """Exit code 0 with the JSON printed, 3 with one sentence, 130 when it was told to stop."""
    parser = argparse.ArgumentParser(prog="python -m agent.models.locate", description="Find or fetch the weights.")
    parser.parse_args(arguments)
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, _leave)
    try:
        weights = locate(read_settings(), Lines().show)
    except CannotStart as error:
        sys.stderr.write(f"{error}\n")
        return 3
    found = weights.model_dump(mode="json") | {"name": weights.name, "note": weights.note}
    sys.stdout.write(f"{json.dumps(found)}\n")
    return 0


def _leave(_signal: int, _frame: FrameType | None) -> None:
    """End, and with us what downloads for us; the next fetch goes on at the last whole part."""
    raise SystemExit(130)


if __name__ == "__main__":
    sys.exit(main())
