"""Runs with tries and files in storage, as a worker leaves them: for tests of the pages that show them."""

from typing import Any

from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.utils import timezone
from factories import IterationFactory, RunFactory

from agent.types import Critique, ErrorKind, Issue, IssueSource, Render, Severity, Verdict
from webapp.jobs.models import Iteration, Job, Run, Status

VIDEO = bytes(range(256)) * 8
PICTURE = b"\x89PNG a picture"


def stored(run: Run, label: str, content: bytes) -> str:
    """The name of a file of that Run in storage."""
    name = f"runs/{run.pk.hex}/{label}"
    return name if default_storage.exists(name) else default_storage.save(name, ContentFile(content))


def issue(message: str, severity: Severity = Severity.ERROR, **fields: Any) -> Issue:
    """A finding about the layout."""
    return Issue(kind="off_frame", severity=severity, source=IssueSource.LAYOUT, message=message, **fields)


def drawn(run: Run, index: int = 0, *issues: Issue, **fields: Any) -> Iteration:
    """A try that gave a video."""
    critique = Critique(verdict=Verdict.REPAIR if issues else Verdict.ACCEPT, issues=issues)
    return IterationFactory(
        run=run,
        index=index,
        render=Render(ok=True, video="video.mp4", duration_s=2.0).model_dump(mode="json"),
        critique=critique.model_dump(mode="json"),
        ok=True,
        video=stored(run, f"{index}-0123456789ab.mp4", VIDEO),
        poster=stored(run, f"{index}-poster-0123456789ab.png", PICTURE),
        **fields,
    )


def crashed(run: Run, index: int = 0, kind: ErrorKind = ErrorKind.PYTHON, **render: Any) -> Iteration:
    """A try that gave none; `render` says more of its error."""
    render = {"message": "NameError: name 'ShowCreation' is not defined", "line": 1} | render
    return IterationFactory(
        run=run,
        index=index,
        render=Render(ok=False, error_kind=kind, **render).model_dump(mode="json"),
        critique=Critique(verdict=Verdict.REPAIR).model_dump(mode="json"),
        ok=False,
        error_kind=kind.value,
    )


def finished(job: Job, *, video: bool = True, **fields: Any) -> Run:
    """A Run that ended well, with its delivered video."""
    ended = {"status": Status.FINISHED, "outcome": "accepted", "stop_reason": "accepted", "best_iteration": 0}
    run = RunFactory(job=job, **(ended | {"stage": "done", "ended_at": timezone.now()} | fields))
    if video:
        run.final_video = stored(run, "final-abcdefabcdef.mp4", VIDEO)
        run.save()
    Job.objects.filter(pk=job.pk).update(status=run.status)
    job.refresh_from_db()
    return run
