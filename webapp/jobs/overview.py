"""What the status page tells: whether each part answers, how the queue stands, and what failed lately."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from http import HTTPStatus
from pathlib import Path
from typing import Any

import httpx2
import redis
from django.conf import settings
from django.db.models import Count, Min, Q, QuerySet
from django.db.models.functions import TruncDate
from django.utils import timezone
from pydantic import BaseModel, ConfigDict, ValidationError

from agent.config import read_settings
from agent.errors import CannotStart
from agent.models.running import answers, read_state, state_file
from webapp.endpoints.models import Endpoint
from webapp.jobs import words
from webapp.jobs.models import Iteration, Job, Run, Status, Worker

ANSWER_S = 2.0
# A worker says so every few seconds; one that has been silent for longer is taken for gone.
WORKER_SILENCE = timedelta(seconds=60)
FORGOTTEN = timedelta(days=1)
LATELY = timedelta(days=7)
DAYS = 14
REMOTE_WORDS: Mapping[int, str] = {
    HTTPStatus.OK: "answers",
    HTTPStatus.UNAUTHORIZED: "refused the key",
    HTTPStatus.FORBIDDEN: "refused the key",
    HTTPStatus.NOT_FOUND: "knows no such address",
}

Row = Mapping[str, Any]


@dataclass(frozen=True)
class Part:
    """One part of the house: its name, whether it answers, and a few words."""

    name: str
    is_well: bool
    words: str


def valkey() -> Part:
    """The queue's store. Without it jobs are kept and wait."""
    url = str(settings.RQ_QUEUES["default"]["URL"])
    try:
        with redis.Redis.from_url(url, socket_connect_timeout=ANSWER_S, socket_timeout=ANSWER_S) as client:
            version = client.info("server").get("valkey_version") or client.info("server").get("redis_version", "")
            return Part("Queue (Valkey)", True, f"answers, version {version}")
    except (redis.RedisError, ValueError) as error:
        return Part("Queue (Valkey)", False, f"does not answer ({type(error).__name__}); jobs are kept and wait")


def model() -> Part:
    """The model that new jobs go to."""
    endpoint = Endpoint.objects.filter(is_default=True).first()
    if endpoint is None:
        return Part("Model", False, "none is set up: set LLM_BASE_URL, or start Proofreel with ./run")
    if endpoint.kind == Endpoint.Kind.SCRIPTED:
        return Part("Model", Path(endpoint.script).is_file(), f"scripted: {endpoint.script}")
    if endpoint.kind == Endpoint.Kind.REMOTE:
        return Part("Model", *remote_answer(endpoint))
    try:
        server = read_state(state_file(read_settings().cache))
    except (CannotStart, OSError) as error:
        return Part("Model", False, str(error))
    if server is None:
        return Part("Model", False, "the embedded model is not running")
    return Part("Model", answers(server), f"{server.model}, embedded, {Path(server.path).name}")


def remote_answer(endpoint: Endpoint) -> tuple[bool, str]:
    """Whether a model server does what a job needs of it, and what is known of it."""
    key = os.environ.get(endpoint.key_setting, "") if endpoint.key_setting else ""
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    name = f"{endpoint.model} at {endpoint.base_url}".removeprefix(" at ")
    try:
        status = httpx2.get(f"{endpoint.base_url.rstrip('/')}/models", headers=headers, timeout=ANSWER_S).status_code
    except (httpx2.HTTPError, httpx2.InvalidURL) as error:
        return False, f"{name}: cannot be reached ({type(error).__name__})"
    return status == HTTPStatus.OK, f"{name}: {REMOTE_WORDS.get(status, 'answers with an error')} (HTTP {status})"


def parts() -> list[Part]:
    """Everything that a job needs beside its workers."""
    return [Part("Database (Postgres)", True, "answers"), valkey(), model()]


def workers() -> list[tuple[Worker, bool]]:
    """Those heard of lately, and whether each is still there."""
    now = timezone.now()
    heard = Worker.objects.filter(seen_at__gt=now - FORGOTTEN).order_by("-seen_at")
    return [(worker, worker.seen_at > now - WORKER_SILENCE) for worker in heard]


class Process(BaseModel):
    """What `./run` says of one of its children."""

    model_config = ConfigDict(extra="ignore")

    state: str
    restarts: int = 0
    message: str = ""

    @property
    def colour(self) -> str:
        """The colour of its state."""
        return {"ready": "good", "done": "good", "starting": "queued"}.get(self.state, "failed")


class Supervisor(BaseModel):
    """What `./run` says of itself. Its file holds more, secrets among it."""

    model_config = ConfigDict(extra="ignore")

    ready_s: float | None = None
    services: dict[str, Process]


def supervisor() -> Supervisor | None:
    """What a running `./run` says of itself; None where none does."""
    try:
        return Supervisor.model_validate_json((settings.ENVIRONMENT.data / "run" / "status.json").read_bytes())
    except (OSError, ValidationError):  # not there, or not what it should be
        return None


def queue() -> dict[str, Any]:
    """How many Runs wait and work, and since when the longest has waited."""
    return Run.objects.aggregate(
        queued=Count("pk", filter=Q(status=Status.QUEUED)),
        started=Count("pk", filter=Q(status=Status.STARTED)),
        oldest=Min("queued_at", filter=Q(status=Status.QUEUED)),
    )


def failures() -> tuple[list[tuple[str, int]], list[tuple[str, int]]]:
    """Of the last seven days: Runs without a video by why they ended, and tries by kind of error; most first."""
    since = timezone.now() - LATELY
    ended = Run.objects.filter(ended_at__gt=since, status=Status.FAILED)
    tries = Iteration.objects.filter(created_at__gt=since).exclude(error_kind="")
    return counted(ended, "stop_reason", words.REASONS), counted(tries, "error_kind", words.ERRORS)


def counted(rows: QuerySet[Any], column: str, told: Mapping[str, str]) -> list[tuple[str, int]]:
    """How often each word of a column stands there, the word told for people; most first."""
    counts = rows.order_by().values_list(column).annotate(count=Count("pk")).order_by("-count", column)
    return [(told.get(word, word) or "Unknown", count) for word, count in counts]


def days() -> list[Row]:
    """Jobs of each of the last fourteen days, those without any left out; newest first."""
    asked = Job.objects.filter(created_at__gt=timezone.now() - timedelta(days=DAYS)).order_by()
    by_day = asked.annotate(day=TruncDate("created_at")).values("day")
    finished = Count("pk", filter=Q(status=Status.FINISHED))
    failed = Count("pk", filter=Q(status=Status.FAILED))
    return [*by_day.annotate(count=Count("pk"), finished=finished, failed=failed).order_by("-day")]
