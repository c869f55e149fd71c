"""Jobs and what came of them. Times are UTC, durations seconds, money US dollars.

A Run carries its own queue status and lease, because a Job may own several. `Job.status` and `Job.version` are written
in the same transaction as the Run that changed, by `webapp.jobs.actions` only.
"""

import uuid
from typing import ClassVar, Self

from django.conf import settings
from django.contrib.auth.base_user import AbstractBaseUser
from django.contrib.postgres.indexes import GinIndex
from django.db import models
from django.db.models import Case, F, OuterRef, Q, Subquery, Value, When
from django.db.models.expressions import RawSQL
from django.db.models.functions import JSONObject
from django.utils import timezone

from agent.types import Stage
from webapp.endpoints.models import Endpoint


class Status(models.TextChoices):
    """Where a Job or Run stands in the queue, in rq's words."""

    QUEUED = "queued"
    STARTED = "started"
    FINISHED = "finished"
    FAILED = "failed"
    CANCELED = "canceled"


OPEN = (Status.QUEUED, Status.STARTED)

# Every open page asks for it each second, and composing the query anew would cost more than the query.
POSITION = """CASE WHEN "jobs_run"."status" = %s THEN (
    SELECT COUNT(*) FROM "jobs_run" "earlier"
    WHERE "earlier"."status" = %s AND "earlier"."queued_at" < "jobs_run"."queued_at"
) ELSE 0 END"""


class JobQuerySet(models.QuerySet["Job"]):
    """Questions about Jobs that pages ask in one query."""

    def matching(self, words: str, status: str) -> Self:
        """Those whose prompt holds the words, as they are written, and that stand at the status; empty means any."""
        found = self.filter(text__icontains=words) if words else self
        return found.filter(status=status) if status else found

    def with_outcome(self) -> Self:
        """`outcome` of the latest Run, and `picture` {run, index}: its best Iteration that has a poster."""
        latest = Run.objects.filter(job=OuterRef("pk")).order_by("-number")
        drawn = Iteration.objects.filter(run__job=OuterRef("pk")).exclude(poster="")
        is_best = Case(When(index=F("run__best_iteration"), then=Value(1)), default=Value(0))
        best_first = drawn.order_by("-run__number", is_best.desc(), "-index")
        return self.annotate(
            outcome=Subquery(latest.values("outcome")[:1]),
            picture=Subquery(best_first.values(place=JSONObject(run="run_id", index="index"))[:1]),
        )


class RunQuerySet(models.QuerySet["Run"]):
    """Questions about Runs."""

    def of(self, owner: AbstractBaseUser) -> Self:
        """Those of that person's Jobs, the newest first, each with its Job and its `position`: how many queued Runs of
        anybody come before it; 0 unless it is queued itself."""
        position = RawSQL(POSITION, (Status.QUEUED, Status.QUEUED), models.IntegerField())  # noqa: S611 (a constant)
        return self.filter(job__owner=owner).select_related("job").annotate(position=position).order_by("-number")


class Job(models.Model):
    """One submission, owned by the person who asked.

    `submission` comes from the form, so that a double click makes one Job. `version` grows with every change that
    can be seen on the Job's page.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="jobs")
    submission = models.UUIDField(default=uuid.uuid4, editable=False)
    text = models.TextField()
    status = models.CharField(max_length=10, choices=Status, default=Status.QUEUED)
    version = models.PositiveIntegerField(default=1)
    created_at = models.DateTimeField(default=timezone.now)

    # Only of rows from `with_outcome`.
    outcome: str | None
    picture: dict[str, str] | None

    objects = JobQuerySet.as_manager()

    class Meta:
        ordering: ClassVar = ["-created_at"]
        indexes: ClassVar = [
            models.Index(fields=["owner", "-created_at"], name="job_owner_newest"),
            GinIndex(fields=["text"], name="job_text_words", opclasses=["gin_trgm_ops"]),
        ]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["owner", "submission"], name="one_job_per_submission"),
        ]

    def __str__(self) -> str:
        return self.text[:60]

    @property
    def is_open(self) -> bool:
        """Whether more will happen to it."""
        return self.status in OPEN


class Run(models.Model):
    """One attempt of the agent. The JSON fields hold records of `agent.types` and `agent.config`; `strategy`, `stage`,
    `outcome` and `stop_reason` hold the agent's words: they grow there, without a migration here.

    `lease` is the token of the worker that has it; every write of that worker is conditional on it. `starts` counts the
    workers that took it, `crashes` those that died with it, so that a Run which kills its workers is not tried for
    ever, `outages` the times it was put back because a part of ours was down. A queued Run waits until `not_before`.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    job = models.ForeignKey(Job, on_delete=models.CASCADE, related_name="runs")
    number = models.PositiveIntegerField(default=1)
    endpoint = models.ForeignKey(Endpoint, on_delete=models.PROTECT, related_name="runs")
    prompt = models.JSONField()
    config = models.JSONField()
    strategy = models.CharField(max_length=20)
    model = models.CharField(max_length=200, blank=True)
    seed = models.IntegerField(default=0)
    versions = models.JSONField(default=dict)

    status = models.CharField(max_length=10, choices=Status, default=Status.QUEUED)
    stage = models.CharField(max_length=30, default=Stage.QUEUED.value)
    stage_detail = models.CharField(max_length=200, blank=True)
    queued_at = models.DateTimeField(default=timezone.now)
    not_before = models.DateTimeField(null=True)
    started_at = models.DateTimeField(null=True)
    ended_at = models.DateTimeField(null=True)

    lease = models.UUIDField(null=True)
    worker = models.CharField(max_length=100, blank=True)
    heartbeat_at = models.DateTimeField(null=True)
    starts = models.PositiveIntegerField(default=0)
    crashes = models.PositiveIntegerField(default=0)
    outages = models.PositiveIntegerField(default=0)
    stop_requested_at = models.DateTimeField(null=True)

    plan = models.JSONField(null=True)
    questions = models.JSONField(default=list)
    outcome = models.CharField(max_length=20, blank=True)
    stop_reason = models.CharField(max_length=20, blank=True)
    message = models.TextField(blank=True)
    best_iteration = models.PositiveIntegerField(null=True)
    final_render = models.JSONField(null=True)
    final_video = models.FileField(max_length=200, blank=True)
    final_still = models.FileField(max_length=200, blank=True)
    scores = models.JSONField(default=list)
    wall_s = models.FloatField(default=0.0)
    render_s = models.FloatField(default=0.0)
    wait_s = models.FloatField(default=0.0)
    overhead_s = models.FloatField(default=0.0)

    # Only of rows from `of`.
    position: int

    objects = RunQuerySet.as_manager()

    class Meta:
        ordering: ClassVar = ["number"]
        indexes: ClassVar = [
            models.Index(fields=["queued_at"], condition=Q(status="queued"), name="run_waiting"),
            models.Index(fields=["heartbeat_at"], condition=Q(status="started"), name="run_working"),
        ]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["job", "number"], name="one_run_per_number"),
            models.CheckConstraint(
                condition=Q(status="started", lease__isnull=False) | ~Q(status="started") & Q(lease__isnull=True),
                name="only_a_started_run_has_a_lease",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.job} #{self.number}"


class Call(models.Model):
    """One model call, kept when it ends."""

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="calls")
    index = models.PositiveIntegerField()
    role = models.CharField(max_length=20)
    iteration = models.PositiveIntegerField()
    messages = models.JSONField()
    completion = models.TextField()
    finish_reason = models.CharField(max_length=20)
    input_tokens = models.PositiveIntegerField()
    output_tokens = models.PositiveIntegerField()
    seconds = models.FloatField()
    cost = models.FloatField()
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering: ClassVar = ["index"]
        constraints: ClassVar = [models.UniqueConstraint(fields=["run", "index"], name="one_call_per_index")]

    def __str__(self) -> str:
        return f"{self.role} {self.index}"


class Iteration(models.Model):
    """One turn, kept when it ends. `render`, `critique` and `scores` are records; the columns beside them are for
    queries, and the files are those of the render."""

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="iterations")
    index = models.PositiveIntegerField()
    kind = models.CharField(max_length=20)
    author = models.CharField(max_length=10)
    parent = models.PositiveIntegerField(null=True)
    code = models.TextField()
    docs_used = models.JSONField(default=list)
    candidates = models.PositiveIntegerField(default=1)
    render = models.JSONField(null=True)
    critique = models.JSONField(null=True)
    scores = models.JSONField(default=list)
    ok = models.BooleanField(null=True)
    error_kind = models.CharField(max_length=20, blank=True)
    video = models.FileField(max_length=200, blank=True)
    still = models.FileField(max_length=200, blank=True)
    poster = models.FileField(max_length=200, blank=True)
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering: ClassVar = ["index"]
        constraints: ClassVar = [models.UniqueConstraint(fields=["run", "index"], name="one_iteration_per_index")]

    def __str__(self) -> str:
        return f"{self.kind} {self.index}"


class Worker(models.Model):
    """A process that takes Runs, as it last said of itself."""

    name = models.CharField(max_length=100, unique=True)
    host = models.CharField(max_length=100)
    started_at = models.DateTimeField(default=timezone.now)
    seen_at = models.DateTimeField(default=timezone.now)
    sandbox_mode = models.CharField(max_length=30)
    tex_backend = models.CharField(max_length=30)
    versions = models.JSONField(default=dict)

    def __str__(self) -> str:
        return self.name
