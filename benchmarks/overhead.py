"""What a Run costs beside its model and its renderer: wall - model - render process - waiting; and the web app on top.

    python -m benchmarks.overhead --json      # {n, overhead_s, overhead_share, job_…, poll_…, commit, versions}

Runs the real loop and the real renderer with a scripted model, whose answers take no time, so that the share is
the largest it can be. Each Run has one failure and one repair. `overhead_s` is the median over the Runs.
"""

import argparse
import json
import os
import statistics
import tempfile
from collections.abc import Iterator
from pathlib import Path

from agent.assembly import ready_parts, run_in_folder
from agent.config import AgentConfig, read_settings
from agent.types import Prompt, Run
from benchmarks.cells import commit
from benchmarks.web_overhead import Sizes, web_overhead

BROKEN = """```python
from manim import *


class Demo(Scene):
    def construct(self):
        self.play(Creat(Circle()))
```"""
SOUND = """```python
from manim import *


class Demo(Scene):
    def construct(self):
        title = Text("A circle").to_edge(UP)
        circle = Circle(color=BLUE)
        self.play(Write(title), Create(circle))
        self.play(circle.animate.shift(RIGHT * 3))
        self.wait()
```"""


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.overhead", description="What a Run costs of ours.")
    parser.add_argument("--n", type=int, default=5, help="Runs, and jobs of the web app (default: %(default)s)")
    parser.add_argument("--polls", type=int, default=200, help="polls that bring nothing (default: %(default)s)")
    parser.add_argument("--changes", type=int, default=50, help="polls that bring much (default: %(default)s)")
    parser.add_argument("--json", action="store_true", help="one line instead of an indented object")
    options = parser.parse_args()
    load = os.getloadavg()[0]  # above 0.5 or so, others were working too, and every number is an upper bound
    with tempfile.TemporaryDirectory() as folder:
        runs = list(measured(options.n, Path(folder)))
    with tempfile.TemporaryDirectory() as folder:
        web = web_overhead(Path(folder), [BROKEN, SOUND], Sizes(options.n, options.polls, options.changes))
    result = {
        "n": len(runs),
        "overhead_s": round(statistics.median(run.overhead_s for run in runs), 3),
        "overhead_share": round(sum(run.overhead_s for run in runs) / sum(run.wall_s - run.wait_s for run in runs), 4),
        **web,
        "load": round(load, 2),
        "commit": commit(),
        "versions": runs[0].versions,
    }
    print(json.dumps(result, indent=None if options.json else 2))


def measured(n: int, folder: Path) -> Iterator[Run]:
    """n finished Runs of a failure and a repair."""
    script = folder / "script.json"
    script.write_text(json.dumps([BROKEN, SOUND] * n), encoding="utf-8")
    config, prompt = AgentConfig(), Prompt(text="Show a circle that moves to the right")
    with ready_parts(f"scripted:{script}", read_settings(), nobody) as parts:
        for number in range(n):
            run = run_in_folder(parts, folder / str(number), prompt, config)
            if len(run.iterations) != 2 or not run.final_video:
                raise SystemExit(f"The benchmark's own program did not render: {run.message}")
            yield run


def nobody(sentence: str) -> None:
    """Listens to no progress."""
    del sentence


if __name__ == "__main__":
    main()
