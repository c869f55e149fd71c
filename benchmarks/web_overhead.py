"""What a job of the web app costs beside its model and its renderer; `benchmarks.polls` measures its page.

A part of `python -m benchmarks.overhead`. Everything runs as `./run` starts it, Postgres and Valkey as durable as
there, with one worker; the model is a script whose answers take no time. What imports the web app does so inside
functions, because its settings are read with the first import.
"""

import json
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from agent.config import AgentConfig
from agent.types import Prompt
from benchmarks.instance import running_instance
from benchmarks.polls import poll_numbers

if TYPE_CHECKING:
    from webapp.jobs.models import Job, Run

PROMPT = Prompt(text="Show a circle that moves to the right")
NOTHING_MOVES = """```python
from manim import *


class Demo(Scene):
    def construct(self):
        self.add(Circle(color=BLUE))
        self.wait()
```"""
LONGEST_S = 180.0
LOOK_S = 0.02


@dataclass(frozen=True)
class Sizes:
    """How often each thing is measured."""

    jobs: int = 5
    unchanged: int = 200
    changed: int = 50


def web_overhead(folder: Path, answers: list[str], sizes: Sizes) -> dict[str, Any]:
    """All numbers. `answers` are those of one Run that ends well; `folder` is empty. Raises SystemExit."""
    script, slow = folder / "script.json", folder / "slow.json"
    script.write_text(json.dumps(answers), encoding="utf-8")
    # One try that fails, one that nobody would accept, and then a model that thinks until the Job is canceled.
    slow.write_text(json.dumps([answers[0], NOTHING_MOVES, {"delay_s": LONGEST_S}]), encoding="utf-8")
    with running_instance(folder / "data", script) as served:
        import django

        django.setup()
        jobs = job_numbers(sizes.jobs)
        job = job_in_hand(slow)
        polls = poll_numbers(served, job, sizes.unchanged, sizes.changed)
        return jobs | polls | {"cancel_s": round(cancel_s(job), 3)}


def job_numbers(n: int) -> dict[str, Any]:
    """Medians over n Jobs, one after the other, from the click to the end that the page shows."""
    parts = [parts_of(finished_run()) for _ in range(n)]
    ours = [part["queue_s"] + part["agent_s"] + part["worker_s"] for part in parts]
    total = [sum(part.values()) - part["wait_s"] for part in parts]
    return {
        "job_n": n,
        "job_overhead_s": round(statistics.median(ours), 3),
        "job_overhead_share": round(sum(ours) / sum(total), 4),
        "job_parts_s": {name: round(statistics.median(part[name] for part in parts), 3) for name in parts[0]},
    }


def parts_of(run: "Run") -> dict[str, float]:
    """Where a Run's seconds went: before a worker had it, model, renderer, waiting, the agent, and the rest."""
    if run.started_at is None or run.ended_at is None:
        raise ValueError("the Run has not ended")
    parts = {
        "queue_s": (run.started_at - run.queued_at).total_seconds(),
        "model_s": float(sum(run.calls.values_list("seconds", flat=True))),
        "render_s": run.render_s,
        "wait_s": run.wait_s,
        "agent_s": run.overhead_s,
    }
    return parts | {"worker_s": (run.ended_at - run.queued_at).total_seconds() - sum(parts.values())}


def finished_run() -> "Run":
    """The Run of a Job that has gone through the queue."""
    run = submitted().runs.get()
    wait_until(run, lambda: run.ended_at is not None)
    if not run.final_video:
        raise SystemExit(f"The benchmark's own program did not render: {run.message}")
    return run


def job_in_hand(script: Path) -> "Job":
    """A Job with two tries, whose third answer is being waited for."""
    from agent.config import read_settings
    from webapp.endpoints.actions import register_from_settings

    register_from_settings(read_settings().model_copy(update={"llm_base_url": f"scripted:{script}"}))
    job = submitted()
    run = job.runs.get()
    wait_until(run, lambda: run.stage == "writing" and run.iterations.count() == 2)
    return job


def cancel_s(job: "Job") -> float:
    """Cancel a Job in the middle of a model call; from the click to its end. Seconds."""
    from webapp.jobs.actions.submission import cancel

    run = job.runs.get()
    began = time.monotonic()
    cancel(job)
    wait_until(run, lambda: run.ended_at is not None)
    return time.monotonic() - began


def submitted() -> "Job":
    """A Job of the seeded educator."""
    from webapp.core.models import User
    from webapp.jobs.actions.submission import Submission, submit

    asked = Submission(prompt=PROMPT, config=AgentConfig(), submission=uuid4())
    return submit(User.objects.get(username="educator"), asked)


def wait_until(run: "Run", there: Callable[[], bool]) -> None:
    """Look at the Run's row until it is there. Raises SystemExit when it never comes."""
    deadline = time.monotonic() + LONGEST_S
    while not there():
        if time.monotonic() > deadline or run.ended_at is not None:
            raise SystemExit(f"The benchmark's Run did not get there: {run.stage}. {run.message}")
        time.sleep(LOOK_S)
        run.refresh_from_db()
