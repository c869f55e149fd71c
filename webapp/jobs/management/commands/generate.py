"""`manage.py generate "PROMPT" --out DIR`: ask as the educator of this installation, wait, and write the run folder.

Exit codes are those of `python -m agent`: 0 a video, 1 no video, 2 usage, 3 cannot start.
"""

import json
import time
import uuid
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandParser
from django.db import InterfaceError, OperationalError

from agent.command import StageLines, StopSwitch, exit_code, fresh_folder, hand_out, holds_something, say, tell
from agent.config import AgentConfig
from agent.errors import BadPrompt, CannotStart
from agent.types import Prompt, Quality, Stage, StrategyName
from agent.types import Run as Outline
from webapp.core.models import User
from webapp.core.roles import Role
from webapp.jobs.actions.submission import NoEndpoint, Submission, cancel, submit
from webapp.jobs.models import OPEN, Run
from webapp.jobs.run_folder import write_folder

LOOK_S = 0.2
# What Django adds to every command, and nobody who asks for an animation needs.
BASE_ARGUMENTS = (
    *("--version", "--verbosity", "--settings", "--pythonpath"),
    *("--traceback", "--no-color", "--force-color", "--skip-checks"),
)


class Command(BaseCommand):
    help = "Ask for one animation and wait for it. The last line on stdout is the path of the MP4, or JSON."
    requires_system_checks = ()
    suppressed_base_arguments = {*BASE_ARGUMENTS}  # noqa: RUF012 (as Django declares it)

    def create_parser(self, prog_name: str, subcommand: str, **options: Any) -> CommandParser:  # noqa: ANN401
        """The parser, under the name by which people call it."""
        parser = super().create_parser(prog_name, subcommand, **options)
        parser.prog = "./run generate"
        return parser

    def add_arguments(self, parser: ArgumentParser) -> None:
        """As far as they are there, the options of `python -m agent`."""
        parser.add_argument("prompt", help="what the animation should show")
        parser.add_argument("--out", type=Path, metavar="DIR", help="the run folder (default: a new one in out/)")
        parser.add_argument("--strategy", type=StrategyName, choices=list(StrategyName), default=StrategyName.FULL)
        parser.add_argument("--quality", type=Quality, choices=list(Quality), default=Quality.P720_30)
        parser.add_argument("--json", action="store_true", help="print what was made and how long it took as JSON")

    def handle(self, *_arguments: str, **options: Any) -> None:  # noqa: ANN401 (Django's own)
        """Ask, wait, write. The process edge: every error is one sentence and an exit code."""
        stop = StopSwitch()
        try:
            raise SystemExit(generate(options, stop))
        except (CannotStart, NoEndpoint) as error:
            code, sentence = 3, str(error)
        except (OperationalError, InterfaceError):
            code, sentence = 3, "The database is gone. What was asked for goes on when Proofreel is started again."
        except BadPrompt as error:
            code, sentence = 1, str(error)
        except KeyboardInterrupt:
            code, sentence = 1, "Stopped before there was a video."
        except OSError as error:
            code, sentence = 1, f"The run could not be kept: {error.strerror or error}."
        say(sentence)
        raise SystemExit(code)


def generate(options: dict[str, Any], stop: StopSwitch) -> int:
    """Ask, wait for the end, and hand out what was made; gives the exit code."""
    out: Path | None = options["out"]
    if out and holds_something(out):
        say(f"{out} is not empty; name another folder.")
        return 2
    folder = fresh_folder(out)
    alone = not Run.objects.filter(status__in=OPEN).exists()
    run = ask(options)
    stop.arm()
    wait(run, stop)
    record = write_folder(run, folder)
    tell(record)
    if options["json"]:
        hand_out(json.dumps(summary(run, record, folder, alone=alone)))
    elif record.final_video:
        hand_out(str(folder / record.final_video))
    return exit_code(record)


def ask(options: dict[str, Any]) -> Run:
    """The Run of a new Job of the educator. Raises CannotStart, NoEndpoint, BadPrompt."""
    owner = User.objects.filter(username=Role.EDUCATOR.value).first()
    if owner is None:
        raise CannotStart("There is no educator here yet: run `manage.py prepare` first.")
    prompt = Prompt(text=options["prompt"], quality=options["quality"])
    config = AgentConfig(strategy=options["strategy"])
    return submit(owner, Submission(prompt=prompt, config=config, submission=uuid.uuid4())).runs.get()


def wait(run: Run, stop: StopSwitch) -> None:
    """Until the Run has ended; its stages are said on the way, and a stop cancels it."""
    lines, told, canceled = StageLines(), ("", ""), False
    while run.status in OPEN:
        if stop.is_set() and not canceled:
            say("Canceling.")
            cancel(run.job)
            canceled = True
        if told != (run.stage, run.message):
            told = (run.stage, run.message)
            lines(Stage(run.stage), "")
            if run.message:
                say(run.message)
        time.sleep(LOOK_S)
        run.refresh_from_db()


def summary(run: Run, record: Outline, folder: Path, *, alone: bool) -> dict[str, object]:
    """What was made and where the seconds went. Time outside the agent is waiting when others were before it or a part
    of ours was down, else overhead."""
    wall_s = ((run.ended_at or run.queued_at) - run.queued_at).total_seconds()
    outside_s = max(0.0, wall_s - run.wall_s)
    wait_s = run.wait_s + (outside_s if run.outages or not alone else 0.0)
    model_s = record.usage.seconds
    return {
        "job_id": str(run.job_id),
        "run_id": str(run.id),
        "outcome": run.outcome,
        "stop_reason": run.stop_reason,
        "video": str(folder / record.final_video) if record.final_video else None,
        "duration_s": record.final_render.duration_s if record.final_render else None,
        "iterations": len(record.iterations),
        "model_s": round(model_s, 3),
        "render_s": round(run.render_s, 3),
        "wait_s": round(wait_s, 3),
        "overhead_s": round(max(0.0, wall_s - model_s - run.render_s - wait_s), 3),
        "wall_s": round(wall_s, 3),
    }
