"""The twelve prompts: measured once, never by a broken model server, summed up with an interval."""

import json
from pathlib import Path

import pytest
from programs import CRASHES, MOVING, answer

from agent.errors import InfrastructureError
from agent.models.cores import FreeCores
from agent.models.scripted import Line, ScriptedModel
from agent.renderer.client import running_renderer
from agent.types import StrategyName
from agent.workbench import Parts
from benchmarks.cells import CellStore
from benchmarks.prompts12 import Bench, Suite, SuitePrompt

COMMITTED = Path(__file__).parents[2] / "benchmarks" / "prompts12.json"
SUITE = Suite(version="t", prompts=tuple(SuitePrompt(id=f"p{n}", text="a dot moves") for n in range(2)))


@pytest.fixture(scope="module")
def renderer():
    with running_renderer() as client:
        yield client


@pytest.fixture
def bench(renderer, tmp_path: Path):
    def make(*script: str | Line) -> Bench:
        parts = Parts(ScriptedModel(script), renderer, FreeCores())
        return Bench(parts, SUITE, CellStore(tmp_path / "cells.jsonl"), tmp_path / "runs")

    return make


def test_the_committed_suite_has_twelve_prompts() -> None:
    suite = Suite.model_validate_json(COMMITTED.read_text())
    assert [prompt.id for prompt in suite.prompts] == [f"p{number:02d}" for number in range(1, 13)]


def test_a_row_holds_the_rate_with_its_interval_and_every_result(bench) -> None:
    row = bench(answer(MOVING), answer(CRASHES)).row(StrategyName.VANILLA, seed=0)
    assert row["n"] == 2
    assert row["rsr"]["value"] == 0.5
    assert row["rsr"]["low"] == pytest.approx(0.0945, abs=0.001)  # Wilson's interval for 1 of 2
    assert row["rsr"]["high"] == pytest.approx(0.9055, abs=0.001)
    assert row["seconds_per_video"] > 0
    assert [(result["id"], result["outcome"]) for result in row["results"]] == [("p0", "accepted"), ("p1", "failed")]
    assert Path(row["results"][0]["video"]).exists()
    json.dumps(row)


def test_what_is_measured_is_not_measured_again(bench) -> None:
    first = bench(answer(MOVING), answer(MOVING)).row(StrategyName.VANILLA, seed=0)
    again = bench().row(StrategyName.VANILLA, seed=0)
    assert again == first


def test_a_model_server_that_fails_is_no_measurement(bench) -> None:
    with pytest.raises(InfrastructureError, match="p1 was not measured: The server is gone"):
        bench(answer(MOVING), Line(error="The server is gone.")).row(StrategyName.VANILLA, seed=0)
    row = bench(answer(MOVING)).row(StrategyName.VANILLA, seed=0)
    assert row["rsr"]["value"] == 1
