"""The command line: one prompt in, a run folder out, and an exit code that a script can trust.

0 a video (accepted or best effort; open issues on stderr) · 1 no video · 2 usage · 3 cannot start.
"""

import argparse
import signal
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from agent.assembly import ready_parts, run_in_folder
from agent.config import AgentConfig, Settings
from agent.errors import CannotStart
from agent.prompt_check import undrawn_script
from agent.recorder import FolderRecorder
from agent.run_folder import RUN_FILE
from agent.types import Motion, Outcome, Prompt, Quality, Run, Severity, Stage, StrategyName
from agent.workbench import Parts

STAGE_WORDS = {
    Stage.WAITING_FOR_PROCESSOR: "waiting for a processor",
    Stage.WRITING: "writing the program",
    Stage.DRAFTING: "rendering a draft",
    Stage.FINISHING: "rendering the final video",
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one prompt; the process edge where every error becomes a sentence and an exit code."""
    options = parse(arguments)
    stop = StopSwitch()
    try:
        with ready_parts(options.model, Settings(), say) as parts:
            return work(options, parts, stop)
    except CannotStart as error:
        say(str(error))
        return 3


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    """The options; argparse exits with 2 and a usage line on what it does not know."""
    parser = argparse.ArgumentParser(prog="python -m agent", description="From a sentence to a video.")
    parser.add_argument("prompt", help="what the animation should show")
    parser.add_argument("--strategy", type=StrategyName, choices=list(StrategyName), default=StrategyName.FULL)
    parser.add_argument("--model", metavar="URL|embedded|scripted:FILE", help="default: LLM_BASE_URL, else embedded")
    parser.add_argument("--out", type=Path, metavar="DIR", help="the run folder (default: out/ID)")
    parser.add_argument("--motion", type=Motion, choices=list(Motion), default=Motion.AUTO)
    parser.add_argument("--quality", type=Quality, choices=list(Quality), default=Quality.P720_30)
    parser.add_argument("--repairs", type=int, choices=range(11), default=3, metavar="K")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--max-tokens", type=int, default=AgentConfig().max_tokens, metavar="N", help="a call at most")
    parser.add_argument("--json", action="store_true", help="print run.json on one line")
    options = parser.parse_args(arguments)
    if options.out and (options.out / RUN_FILE).exists():
        parser.error(f"{options.out} already holds a run; name another folder.")
    return options


def work(options: argparse.Namespace, parts: Parts, stop: "StopSwitch") -> int:
    """Run the prompt in its folder, whatever comes, and report."""
    prompt = Prompt(text=options.prompt, motion=options.motion, quality=options.quality)
    config = AgentConfig(
        strategy=options.strategy, seed=options.seed, repairs=options.repairs, max_tokens=options.max_tokens
    )
    folder = options.out or Path("out") / time.strftime("%Y%m%d-%H%M%S")
    if script := undrawn_script(prompt.text):
        say(f"Note: the fonts here draw Latin, Greek and Cyrillic; {script.title()} letters would show as boxes.")
    run = run_in_folder(
        parts, folder, prompt, config, lambda head: FolderRecorder(folder, head, StageLines(), stop.is_set)
    )
    report(run, folder, as_json=options.json)
    return 0 if run.final_video else 1


def report(run: Run, folder: Path, *, as_json: bool) -> None:
    """What happened: the sentence and the open issues on stderr, the video or the JSON on stdout."""
    say(run.message)
    best = run.iterations[run.best_iteration] if run.best_iteration is not None else None
    for issue in best.critique.issues if best and best.critique else ():
        if issue.severity is not Severity.NOTE and run.outcome is not Outcome.ACCEPTED:
            say(f"Open: {issue.message}")
    if best and best.render and best.render.scenes_skipped:
        say(f"Rendered {best.render.scene}; left out: {', '.join(best.render.scenes_skipped)}.")
    if as_json:
        sys.stdout.write(run.model_dump_json() + "\n")
    elif run.final_video:
        sys.stdout.write(f"{folder / run.final_video}\n")


class StopSwitch:
    """Set by the first SIGINT or SIGTERM: the Run ends by itself. A second one ends the process."""

    def __init__(self) -> None:
        self._set = False
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, self._on_signal)

    def is_set(self) -> bool:
        """Whether someone wants to stop."""
        return self._set

    def _on_signal(self, number: int, _frame: object) -> None:
        self._set = True
        signal.signal(number, signal.SIG_DFL)


class StageLines:
    """Says on stderr what is going on, with the seconds since the start."""

    def __init__(self) -> None:
        self._started = time.monotonic()

    def __call__(self, stage: Stage, _detail: str) -> None:
        if words := STAGE_WORDS.get(stage):
            say(f"[{time.monotonic() - self._started:5.1f} s] {words}")


def say(sentence: str) -> None:
    """One line for the person, apart from the result."""
    sys.stderr.write(f"{sentence}\n")
    sys.stderr.flush()
