"""A behaviour version changes with what a strategy does, and with nothing else."""

import shutil
from pathlib import Path

import pytest

from agent.types import StrategyName
from benchmarks import behaviour


@pytest.fixture
def house(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the agent that may be changed."""
    copy = tmp_path / "agent"
    shutil.copytree(behaviour.AGENT, copy, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(behaviour, "AGENT", copy)
    return copy


def changed(house: Path, file: str, old: str, new: str) -> set[StrategyName]:
    """The strategies whose version changes with this edit."""
    before = behaviour.behaviour_versions()
    path = house / file
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))
    after = behaviour.behaviour_versions()
    return {strategy for strategy in StrategyName if before[strategy] != after[strategy]}


EVERY = set(StrategyName)


@pytest.mark.parametrize(
    ("file", "old", "new", "strategies"),
    [
        ("loop.py", '"""The loop', '"""Our loop', set()),
        ("session.py", "# Sampled pictures", "# Pictures", set()),
        ("session.py", "SAMPLED_FRAMES = 16", "SAMPLED_FRAMES = 8", EVERY),
        ("prompts/full_system.j2", "60 lines", "50 lines", {StrategyName.FULL}),
        ("prompts/ritl_system.j2", "expert", "master", {StrategyName.RITL}),
        ("prompts/paper_system.j2", "expert", "master", {StrategyName.VANILLA, StrategyName.RITL}),
        ("strategies/full.py", "REPEATS_BEFORE_STOP = 3", "REPEATS_BEFORE_STOP = 4", {StrategyName.FULL}),
        ("examples/scenes/geometry_shapes.py", "BLUE", "RED", {StrategyName.FULL}),
        ("renderer/guest/tex/rules.py", "import", "import  ", set()),
        ("models/weights.py", "def fetch", "def fetch_", set()),
    ],
)
def test_an_edit_changes_the_strategies_that_it_touches(
    house: Path, file: str, old: str, new: str, strategies: set[StrategyName]
) -> None:
    assert changed(house, file, old, new) == strategies


def test_a_file_that_is_gone_is_said(house: Path) -> None:
    (house / "motion.py").unlink()
    with pytest.raises(ValueError, match=r"motion\.py"):
        behaviour.behaviour_versions()
