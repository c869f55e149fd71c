"""A supervisor over small programs."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from keeping import Kept


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Tests that share one `./run` share a process, when there is more than one."""
    if config.pluginmanager.hasplugin("xdist"):
        for item in items:
            if item.path.name == "test_run.py":
                item.add_marker(pytest.mark.xdist_group("run"))


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
