"""How far a fetch of weights is, as a record and as one line for a person."""

from enum import StrEnum

from agent.models.pins import PinnedFile
from agent.types import Record


class FetchStep(StrEnum):
    WAITING = "waiting"
    DOWNLOADING = "downloading"
    CHECKING = "checking"


class Progress(Record):
    """One moment of a fetch. `part` counts from 1, `rate` is in bytes per second since this fetch began."""

    file: str
    step: FetchStep
    part: int
    parts: int
    bytes_done: int
    bytes_total: int
    rate: float

    @classmethod
    def of(
        cls, pinned: PinnedFile, step: FetchStep, *, part: int = 0, bytes_done: int = 0, rate: float = 0.0
    ) -> "Progress":
        """The moment of fetching that file."""
        return cls(
            file=pinned.file,
            step=step,
            part=part,
            parts=len(pinned.parts),
            bytes_done=bytes_done,
            bytes_total=pinned.bytes,
            rate=rate,
        )

    def sentence(self) -> str:
        """One line for a person, e.g. `model: part 3 of 22, 157 of 1117 MB, 48.2 MB/s`."""
        if self.step is FetchStep.WAITING:
            return "model: another process is fetching it, waiting"
        if self.step is FetchStep.CHECKING:
            return "model: checking that it is the official file"
        done, total = self.bytes_done / 1e6, self.bytes_total / 1e6
        return f"model: part {self.part} of {self.parts}, {done:.0f} of {total:.0f} MB, {self.rate / 1e6:.1f} MB/s"
