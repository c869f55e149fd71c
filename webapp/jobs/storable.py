"""The one place where what models and programs wrote is made fit for Postgres.

Its text and JSON take neither U+0000 nor halves of characters, and its JSON no number that is not finite.
"""

import math
import re
from typing import Any

from agent.types import Record

REPLACEMENT = "\ufffd"
UNSTORABLE = re.compile("[\x00\ud800-\udfff]")
# The largest number of an integer column.
LARGEST = 2**31 - 1


def storable_text(text: str, length: int | None = None) -> str:
    """The text with U+FFFD where a character cannot be stored, cut after `length` characters."""
    return UNSTORABLE.sub(REPLACEMENT, text)[:length]


def storable_count(number: int) -> int:
    """A count that a server claimed, within what a column holds."""
    return min(max(0, number), LARGEST)


def storable_record(record: Record) -> Any:  # noqa: ANN401 (what a JSON column takes)
    """A record for a JSON column."""
    return _storable(record.model_dump(mode="json"))


def storable_records(records: tuple[Record, ...]) -> list[Any]:
    """Records for a JSON column."""
    return [storable_record(record) for record in records]


def _storable(value: Any) -> Any:  # noqa: ANN401 (JSON)
    if isinstance(value, str):
        return storable_text(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else 0.0
    if isinstance(value, list):
        return [_storable(item) for item in value]
    if isinstance(value, dict):
        return {storable_text(name): _storable(item) for name, item in value.items()}
    return value
