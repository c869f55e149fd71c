"""Runs for tests of the queue: what a model is to answer, a Job that asks for it, and real workers beside the test."""

import json
import os
import signal
import subprocess
import sys
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import psutil
import throwaway
from django.conf import settings
from django.db import connection
from factories import EndpointFactory

from agent.config import AgentConfig
from agent.renderer.client import RendererClient
from agent.types import Prompt
from webapp.core.models import User
from webapp.endpoints.models import Endpoint
from webapp.jobs.actions.submission import Submission, submit
from webapp.jobs.models import Job, Run

ROOT = Path(__file__).parents[2]
PATIENCE_S = 30.0


def script(folder: Path, *answers: object) -> Endpoint:
    """The default Endpoint, which answers with these, call after call of each Run."""
    file = folder / "script.json"
    file.write_text(json.dumps(answers), encoding="utf-8")
    return EndpointFactory(script=str(file))


def ask(owner: User, text: str = "a dot moves", **config: object) -> Run:
    """The Run of a new Job."""
    return ask_for(owner, Prompt(text=text), **config)


def ask_for(owner: User, prompt: Prompt, **config: object) -> Run:
    """The Run of a new Job for that prompt."""
    submission = Submission(prompt=prompt, config=AgentConfig(**config), submission=uuid.uuid4())
    return submit(owner, submission).runs.get()


def eventually(condition: Callable[[], object], within_s: float = PATIENCE_S) -> float:
    """Wait until it holds; gives the seconds that this took."""
    started = time.monotonic()
    while not condition():
        assert time.monotonic() - started < within_s, "it did not happen in time"
        time.sleep(0.1)
    return time.monotonic() - started


def status(run: Run) -> str:
    """The status of a Run as the database has it now."""
    return Run.objects.values_list("status", flat=True).get(id=run.id)


def stage(run: Run) -> str:
    """Where a Run stands as the database has it now."""
    return Run.objects.values_list("stage", flat=True).get(id=run.id)


def job_of(run: Run) -> Job:
    """The Job of a Run as the database has it now."""
    return Job.objects.get(id=run.job_id)


@dataclass(frozen=True)
class Workers:
    """Starts `manage.py` children that see the test's database, queue, files and renderer."""

    renderer: RendererClient
    data: Path

    def environment(self) -> dict[str, str]:
        here = throwaway.services()
        return os.environ | {
            "DATABASE_URL": here.postgres.url(connection.settings_dict["NAME"]),
            "REDIS_URL": settings.RQ_QUEUES["default"]["URL"],
            "RENDER_SOCKET": str(self.renderer.socket_path),
            "PROOFREEL_DATA": str(self.data),
            "DJANGO_SETTINGS_MODULE": "webapp.settings",
        }

    def start(self, *arguments: str, **environment: str) -> "subprocess.Popen[str]":
        """A child; its stdout can be read, its stderr is the test's."""
        return subprocess.Popen(
            [sys.executable, str(ROOT / "manage.py"), *arguments],
            env=self.environment() | environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            text=True,
        )

    @contextmanager
    def working(self, **environment: str) -> Iterator["subprocess.Popen[str]"]:
        """A worker that listens, ended in order at the end of the block."""
        worker = self.start("work", **environment)
        try:
            assert worker.stdout is not None
            assert worker.stdout.readline() == "READY\n"
            yield worker
        finally:
            end(worker)

    def burst(self, **environment: str) -> None:
        """A worker that empties the queue and ends."""
        worker = self.start("work", "--burst", **environment)
        try:
            assert worker.wait(timeout=60) == 0
        finally:
            end(worker)


def end(worker: "subprocess.Popen[str]") -> int:
    """Ask a child to end and wait for it; gives its exit code."""
    worker.terminate()
    try:
        code = worker.wait(timeout=15)
    except subprocess.TimeoutExpired:
        worker.kill()
        raise
    if worker.stdout is not None:
        worker.stdout.close()
    return code


def horses(worker: "subprocess.Popen[str]") -> list[psutil.Process]:
    """The work-horses of a worker."""
    with suppress(psutil.NoSuchProcess):
        return psutil.Process(worker.pid).children()
    return []


def kill_with_horses(worker: "subprocess.Popen[str]") -> None:
    """End a worker and its work-horses as a power cut would."""
    for process in [psutil.Process(worker.pid), *horses(worker)]:
        process.send_signal(signal.SIGSTOP)
    for process in [*horses(worker), psutil.Process(worker.pid)]:
        process.kill()
    worker.wait(timeout=10)
