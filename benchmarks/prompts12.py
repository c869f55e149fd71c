"""Twelve prompts, from a circle to a moving tangent: how many become a video, and how long that takes.

    python -m benchmarks.prompts12 --model embedded --strategies vanilla,ritl,full --json

Prints per strategy `{n, rsr{value, low, high}, seconds_per_video, results[{id, outcome, video, seconds}]}`. `rsr` is
the paper's: the share of prompts whose final program rendered. Intervals are Wilson's at 95 %. Resumable: run it
again and what is measured already is taken from the cell store. Run it alone on the machine.
"""

import argparse
import json
import shutil
import sys
from pathlib import Path

from scipy.stats import binomtest

from agent.assembly import ready_parts, run_in_folder
from agent.config import AgentConfig, Limits, read_settings
from agent.errors import InfrastructureError, ProofreelError
from agent.types import Outcome, Prompt, Record, Run, StopReason, StrategyName
from agent.workbench import Parts
from benchmarks.behaviour import behaviour_versions
from benchmarks.cells import RESULTS, Cell, CellKey, CellStore

# Benchmarks may take longer than a person would wait: the strategies are compared, not cut off.
WALL_S = 1800.0
# The one way in which formulas are set so far.
TEX_BACKEND = "mathjax"
# How a Run ends when something other than the model's answers decided.
NO_RESULT = (StopReason.MODEL_ERROR, StopReason.INFRASTRUCTURE, StopReason.CANCELED, StopReason.CRASHED)


class SuitePrompt(Record):
    id: str
    text: str


class Suite(Record):
    """The committed prompts; `version` goes up when any of them changes."""

    version: str
    prompts: tuple[SuitePrompt, ...]


def main() -> None:
    """Measure what is missing and print the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.prompts12", description="Twelve prompts.")
    parser.add_argument("--model", default="embedded", metavar="URL|embedded|scripted:FILE")
    parser.add_argument("--strategies", type=strategies, default="vanilla,ritl,full")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--runs", type=Path, default=Path("var/benchmarks/prompts12"), help="where the videos go")
    parser.add_argument("--json", action="store_true", help="one line instead of an indented object")
    options = parser.parse_args()
    suite = Suite.model_validate_json((Path(__file__).parent / "prompts12.json").read_text(encoding="utf-8"))
    try:
        with ready_parts(options.model, read_settings(), say) as parts:
            bench = Bench(parts, suite, CellStore(RESULTS / "cells" / "prompts12.jsonl"), options.runs)
            table = {name.value: bench.row(name, options.seed) for name in options.strategies}
    except ProofreelError as error:
        raise SystemExit(str(error)) from error
    except KeyboardInterrupt:
        raise SystemExit("Stopped; what is measured is kept.") from None
    print(json.dumps(table, indent=None if options.json else 2))


def strategies(text: str) -> list[StrategyName]:
    """The strategies of a comma-separated list; argparse words the error."""
    return [StrategyName(name) for name in text.split(",")]


class Bench:
    """Measures cells with one set of parts; what the strategies are made of is taken down before the first."""

    def __init__(self, parts: Parts, suite: Suite, store: CellStore, runs: Path) -> None:
        self._behaviour = behaviour_versions()
        self._parts = parts
        self._suite = suite
        self._store = store
        self._runs = runs

    def row(self, strategy: StrategyName, seed: int) -> dict[str, object]:
        """One strategy's row of the table."""
        config = AgentConfig(strategy=strategy, seed=seed, repeatable=True, limits=Limits(wall_s=WALL_S))
        return summary([self.cell(prompt, config) for prompt in self._suite.prompts])

    def cell(self, prompt: SuitePrompt, config: AgentConfig) -> Cell:
        """The cell of one prompt, measured now unless it was before.

        Raises InfrastructureError when the measurement failed and not the model: that is no result.
        """
        asked = Prompt(text=prompt.text)
        key = CellKey(
            behaviour=self._behaviour[config.strategy],
            model=self._parts.model.identity,
            strategy=config.strategy.value,
            config=f"{config.digest()}-{asked.quality.value}-{TEX_BACKEND}",
            suite=f"prompts12-{self._suite.version}",
            prompt=prompt.id,
            seed=config.seed,
        )
        if done := self._store.get(key):
            return done
        folder = self._runs / f"{config.strategy.value}-{prompt.id}-{key.digest()}"
        shutil.rmtree(folder, ignore_errors=True)  # of a measurement that was broken off
        run = run_in_folder(self._parts, folder, asked, config)
        if run.stop_reason in NO_RESULT:
            raise InfrastructureError(f"{prompt.id} was not measured: {run.message}")
        cell = cell_of(key, run, folder)
        self._store.add(cell)
        say(f"{config.strategy.value} {prompt.id}: {cell.outcome} in {cell.seconds:.0f} s. {cell.message}")
        return cell


def cell_of(key: CellKey, run: Run, folder: Path) -> Cell:
    """What a Run says about its cell."""
    return Cell(
        key=key,
        rendered=run.best_iteration is not None,
        accepted=run.outcome is Outcome.ACCEPTED,
        outcome=str(run.outcome),
        stop_reason=str(run.stop_reason),
        message=run.message.replace(sys.prefix, ".venv"),  # rows are committed: no path of the machine in them
        seconds=round(run.wall_s - run.wait_s, 3),
        model_s=round(run.usage.seconds, 3),
        render_s=run.render_s,
        overhead_s=run.overhead_s,
        calls=len(run.calls),
        iterations=len(run.iterations),
        input_tokens=run.usage.input_tokens,
        output_tokens=run.usage.output_tokens,
        video=str(folder / run.final_video) if run.final_video else None,
        versions=run.versions,
    )


def summary(cells: list[Cell]) -> dict[str, object]:
    """One strategy's row; `seconds_per_video` is all the time spent, failures included, per video."""
    rendered = sum(cell.rendered for cell in cells)
    interval = binomtest(rendered, len(cells)).proportion_ci(method="wilson")
    seconds = sum(cell.seconds for cell in cells)
    return {
        "n": len(cells),
        "rsr": {
            "value": round(rendered / len(cells), 3),
            "low": round(float(interval.low), 3),
            "high": round(float(interval.high), 3),
        },
        "accepted": sum(cell.accepted for cell in cells),
        "seconds_per_video": round(seconds / rendered, 1) if rendered else None,
        "calls": sum(cell.calls for cell in cells),
        "overhead_s": round(max(cell.overhead_s for cell in cells), 3),
        "overhead_share": round(sum(cell.overhead_s for cell in cells) / seconds, 4),
        "results": [
            {"id": cell.key.prompt, "outcome": cell.outcome, "video": cell.video, "seconds": cell.seconds}
            for cell in cells
        ],
        "model": cells[0].key.model,
        "behaviour": cells[0].key.behaviour,
        "commits": sorted({cell.commit for cell in cells}),
        "versions": cells[0].versions,
    }


def say(sentence: str) -> None:
    """Progress, apart from the JSON."""
    print(sentence, file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
