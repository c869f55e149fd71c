"""The cell store: nothing is measured twice, nothing is lost, nothing that is broken off stays in the way."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from benchmarks.cells import Cell, CellKey, CellStore


def cell(prompt: str, **key: object) -> Cell:
    named = {"behaviour": "b", "model": "m", "strategy": "full", "config": "c", "suite": "s", "prompt": prompt}
    return Cell(
        key=CellKey(**named | key),
        rendered=True,
        accepted=True,
        outcome="accepted",
        stop_reason="accepted",
        message="",
        seconds=1.0,
        model_s=0.5,
        render_s=0.4,
        overhead_s=0.1,
        calls=1,
        iterations=1,
        input_tokens=1,
        output_tokens=1,
        video=None,
        versions={},
    )


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "cells" / "x.jsonl"


def test_a_cell_is_found_by_every_part_of_its_key(file: Path) -> None:
    CellStore(file).add(cell("p1"))
    store = CellStore(file)
    assert store.get(cell("p1").key) == cell("p1").model_copy(
        update={"measured_at": store.get(cell("p1").key).measured_at}
    )
    for change in ({"behaviour": "x"}, {"model": "x"}, {"config": "x"}, {"suite": "x"}, {"seed": 1}, {"sample": 1}):
        assert store.get(cell("p1", **change).key) is None


def test_a_line_that_was_broken_off_costs_only_its_own_cell(file: Path) -> None:
    store = CellStore(file)
    store.add(cell("p1"))
    with file.open("a") as lines:
        lines.write('{"key": {"behaviour": "b", "mod')
    store.add(cell("p2"))
    assert store.get(cell("p1").key)
    assert store.get(cell("p2").key)


def test_what_another_runner_adds_is_seen(file: Path) -> None:
    one, other = CellStore(file), CellStore(file)
    assert one.get(cell("p1").key) is None
    other.add(cell("p1"))
    assert one.get(cell("p1").key)


def test_many_runners_never_write_into_one_line(file: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda number: CellStore(file).add(cell(f"p{number}")), range(40)))
    assert all(CellStore(file).get(cell(f"p{number}").key) for number in range(40))


def test_a_cell_knows_its_commit_and_when_it_was_measured() -> None:
    measured = cell("p1")
    assert measured.measured_at.endswith("+00:00")
    assert measured.commit
