"""A supervisor over small programs."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from keeping import Kept


@pytest.fixture
def keep(tmp_path: Path) -> Iterator[Callable[..., Kept]]:
    """Starts a supervisor over these rows."""
    started: list[Kept] = []

    def make(*rows: dict[str, Any]) -> Kept:
        started.append(Kept(tmp_path, list(rows)))
        return started[-1]

    yield make
    for kept in started:
        kept.close()
