"""Twelve prompts, from a circle to a moving tangent: how many become a video, and how long that takes.

    python -m benchmarks.prompts12 --model embedded --strategies vanilla,ritl,full --json

Prints per strategy `{n, rsr{value, low, high}, seconds_per_video, results[{id, outcome, video, seconds}]}`. `rsr` is
the paper's: the share of prompts whose final program rendered. Intervals are Wilson's at 95 %. Resumable: run it
again and what is measured already is taken from the cell store. Run it alone on the machine.
"""

import argparse
import json
import sys
from pathlib import Path

from scipy.stats import binomtest

from agent.assembly import ready_parts, run_in_folder
from agent.config import AgentConfig, Limits, Settings
from agent.types import Outcome, Prompt, Record, Run, StrategyName
from agent.workbench import Parts
from benchmarks.behaviour import behaviour_version
from benchmarks.cells import RESULTS, Cell, CellKey, CellStore

# Benchmarks may take longer than a person would wait: the strategies are compared, not cut off.
WALL_S = 1800.0


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
    parser.add_argument("--strategies", default="vanilla,ritl,full")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--runs", type=Path, default=Path("var/benchmarks/prompts12"), help="where the videos go")
    parser.add_argument("--json", action="store_true", help="one line instead of an indented object")
    options = parser.parse_args()
    suite = Suite.model_validate_json((Path(__file__).parent / "prompts12.json").read_text(encoding="utf-8"))
    store = CellStore(RESULTS / "cells" / "prompts12.jsonl")
    table = {}
    with ready_parts(options.model, Settings(), say) as parts:
        for name in options.strategies.split(","):
            config = AgentConfig(
                strategy=StrategyName(name), seed=options.seed, repeatable=True, limits=Limits(wall_s=WALL_S)
            )
            cells = [measure(prompt, config, parts, (suite, store, options.runs)) for prompt in suite.prompts]
            table[name] = summary(cells)
    print(json.dumps(table, indent=None if options.json else 2))


def measure(prompt: SuitePrompt, config: AgentConfig, parts: Parts, place: tuple[Suite, CellStore, Path]) -> Cell:
    """The cell of one prompt, measured now unless it was before."""
    suite, store, runs = place
    key = CellKey(
        behaviour=behaviour_version(config.strategy),
        model=parts.model.name,
        strategy=config.strategy.value,
        config=config.digest(),
        suite=f"prompts12-{suite.version}",
        prompt=prompt.id,
        seed=config.seed,
    )
    if done := store.get(key):
        return done
    folder = runs / f"{config.strategy.value}-{prompt.id}-{key.behaviour}-{config.seed}"
    run = run_in_folder(parts, folder, Prompt(text=prompt.text), config)
    cell = cell_of(key, run, folder)
    store.add(cell)
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
        message=run.message,
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
    }


def say(sentence: str) -> None:
    """Progress, apart from the JSON."""
    print(sentence, file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
