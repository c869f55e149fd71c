"""Which weights the embedded model uses: the file that the person named, or the official one of the chosen size."""

from pathlib import Path

from agent.config import Settings
from agent.errors import CannotStart
from agent.models.hashes import sha256_of
from agent.models.pins import pinned_files
from agent.models.weights import Report, fetch, known_hashes
from agent.types import Record

GGUF_MAGIC = b"GGUF"


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
