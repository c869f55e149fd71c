"""The command line: one prompt in, a run folder out, and an exit code that a script can trust.

0 a video (accepted or best effort; open issues on stderr) · 1 no video · 2 usage · 3 cannot start.
"""

import argparse
import os
import secrets
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Sequence
from pathlib import Path

from agent.assembly import ready_parts, run_in_folder
from agent.config import AgentConfig, read_settings
from agent.errors import CannotStart
from agent.prompt_check import undrawn_script
from agent.recorder import FolderRecorder
from agent.types import Motion, Outcome, Prompt, Quality, Run, Severity, Stage, StrategyName
from agent.workbench import Parts

STAGE_WORDS = {
    Stage.QUEUED: "waiting in the queue",
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
        folder = fresh_folder(options.out)
        with ready_parts(options.model, read_settings(), say) as parts:
            return work(options, parts, folder, stop)
    except CannotStart as error:
        say(str(error))
        return 3
    except KeyboardInterrupt:
        say("Stopped before there was a video.")
    except OSError as error:
        say(f"The run could not be kept: {error.strerror or error}.")
    except Exception as error:  # noqa: BLE001 - a fault of ours: one sentence for the person, the details beside it
        say(f"Proofreel failed ({type(error).__name__}); the details are in {crash_report()}.")
    return 1


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    """The options; argparse exits with 2 and a usage line on what it does not know."""
    parser = argparse.ArgumentParser(prog="python -m agent", description="From a sentence to a video.")
    parser.add_argument("prompt", help="what the animation should show")
    parser.add_argument("--strategy", type=StrategyName, choices=list(StrategyName), default=StrategyName.FULL)
    parser.add_argument("--model", metavar="URL|embedded|scripted:FILE", help="default: LLM_BASE_URL, else embedded")
    parser.add_argument("--out", type=Path, metavar="DIR", help="the run folder (default: a new one in out/)")
    parser.add_argument("--motion", type=Motion, choices=list(Motion), default=Motion.AUTO)
    parser.add_argument("--quality", type=Quality, choices=list(Quality), default=Quality.P720_30)
    parser.add_argument("--repairs", type=int, choices=range(11), default=3, metavar="K", help="0 to 10")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--max-tokens", type=positive, default=AgentConfig().max_tokens, metavar="N", help="per call")
    parser.add_argument("--json", action="store_true", help="print run.json on one line")
    options = parser.parse_args(arguments)
    if options.out and holds_something(options.out):
        parser.error(f"{options.out} is not empty; name another folder.")
    return options


def positive(text: str) -> int:
    """A whole number from 1 on; argparse words the error."""
    number = int(text)
    if number < 1:
        raise ValueError
    return number


def holds_something(folder: Path) -> bool:
    """Whether a run there would mix with what is there. What cannot be looked into is found out on making it."""
    try:
        return folder.is_dir() and any(folder.iterdir())
    except OSError:
        return False


def fresh_folder(asked: Path | None) -> Path:
    """The run folder, made before anything is started for it. Raises CannotStart when nothing can be written there."""
    folder = asked or Path("out") / f"{time.strftime('%Y%m%d-%H%M%S')}-{secrets.token_hex(2)}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return folder
    except OSError as error:
        raise CannotStart(f"The folder {folder} cannot be used: {error.strerror}.") from error


def crash_report() -> Path:
    """The traceback of the error at hand, in a file of its own."""
    with tempfile.NamedTemporaryFile("w", prefix="proofreel-crash-", suffix=".txt", delete=False) as file:
        file.write(traceback.format_exc())
    return Path(file.name)


def work(options: argparse.Namespace, parts: Parts, folder: Path, stop: "StopSwitch") -> int:
    """Run the prompt in its folder, whatever comes, and report."""
    prompt = Prompt(text=options.prompt, motion=options.motion, quality=options.quality)
    config = AgentConfig(
        strategy=options.strategy, seed=options.seed, repairs=options.repairs, max_tokens=options.max_tokens
    )
    if script := undrawn_script(prompt.text):
        say(f"Note: the fonts here draw Latin, Greek and Cyrillic; {script} letters would show as boxes.")
    stop.arm()
    run = run_in_folder(
        parts, folder, prompt, config, lambda head: FolderRecorder(folder, head, StageLines(), stop.is_set)
    )
    report(run, folder, as_json=options.json)
    return exit_code(run)


def report(run: Run, folder: Path, *, as_json: bool) -> None:
    """What happened: the sentence and the open issues on stderr, the video or the JSON on stdout."""
    tell(run)
    if as_json:
        hand_out(run.model_dump_json())
    elif run.final_video:
        hand_out(str(folder / run.final_video))


def tell(run: Run) -> None:
    """The sentence of how it ended, and what is still wrong with what was delivered."""
    say(run.message)
    best = run.iterations[run.best_iteration] if run.best_iteration is not None else None
    for issue in best.critique.issues if best and best.critique else ():
        if issue.severity is not Severity.NOTE:
            say(f"Open: {issue.message}")
    if best and best.render and best.render.scenes_skipped:
        say(f"Rendered {best.render.scene}; left out: {', '.join(best.render.scenes_skipped)}.")


def exit_code(run: Run) -> int:
    """0 with a video that was delivered, else 1."""
    return 0 if run.outcome in (Outcome.ACCEPTED, Outcome.BEST_EFFORT) else 1


def hand_out(line: str) -> None:
    """The result, on stdout. That its reader has left takes nothing from what was made."""
    try:
        sys.stdout.write(f"{line}\n")
        sys.stdout.flush()
    except BrokenPipeError:  # and Python must not try to flush it again at its end
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


class StopSwitch:
    """What SIGINT and SIGTERM do: end the start-up at once; once armed, let the Run end by itself.

    A second signal to a Run interrupts it where it is.
    """

    def __init__(self) -> None:
        self._armed = False
        self._set = False
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, self._on_signal)

    def arm(self) -> None:
        """From now on a Run listens to `is_set`."""
        self._armed = True

    def is_set(self) -> bool:
        """Whether someone wants to stop."""
        return self._set

    def _on_signal(self, _number: int, _frame: object) -> None:
        if self._set or not self._armed:
            raise KeyboardInterrupt
        self._set = True


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
