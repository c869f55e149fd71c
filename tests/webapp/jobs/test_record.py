"""What a worker writes down while a Run goes on; whatever a model or a program wrote, it is stored."""

import pytest
from factories import RunFactory
from workshop import job_of

from agent.types import (
    Call,
    CallRole,
    Critique,
    FinishReason,
    Frame,
    Issue,
    IssueSource,
    Iteration,
    IterationKind,
    Message,
    Outcome,
    Plan,
    Render,
    Severity,
    Stage,
    StopReason,
    Usage,
    Verdict,
)
from webapp.jobs.actions.ending import finish_run
from webapp.jobs.actions.leases import claim
from webapp.jobs.actions.recording import (
    RenderFiles,
    record_call,
    record_iteration,
    record_model,
    record_plan,
    record_stage,
)
from webapp.jobs.history import run_record
from webapp.jobs.models import Run

pytestmark = pytest.mark.django_db

HOSTILE = "\x00<script>alert(1)</script>\U0001f600\u202eabc\u0301\u200d\udc80 ' \" \\ % {x}"
STORED = "\ufffd<script>alert(1)</script>\U0001f600\u202eabc\u0301\u200d\ufffd ' \" \\ % {x}"


def test_anything_that_a_model_writes_is_stored_and_read_back() -> None:
    run = RunFactory()
    lease = claim(run.id, "worker-1")
    record_model(lease, HOSTILE, {"agent": "1"})
    record_stage(lease, Stage.WRITING, HOSTILE)
    record_plan(lease, Plan(text=HOSTILE))
    record_call(lease, 0, a_call(HOSTILE))
    record_iteration(lease, an_iteration(HOSTILE), (), RenderFiles())
    ended = run_record(Run.objects.get()).model_copy(
        update={"outcome": Outcome.FAILED, "stop_reason": StopReason.STEP_LIMIT, "message": HOSTILE}
    )
    finish_run(lease, ended, RenderFiles())
    kept = run_record(Run.objects.get())
    assert (kept.model, kept.plan.text, kept.message) == (STORED, STORED, STORED)
    assert kept.calls == (a_call(STORED),)
    assert kept.iterations == (an_iteration(STORED),)


def a_call(text: str, **usage: int) -> Call:
    return Call(
        role=CallRole.WRITE,
        iteration=0,
        messages=(Message(role="user", content=text),),
        completion=text,
        finish_reason=FinishReason.STOP,
        usage=Usage(**usage),
    )


def an_iteration(text: str, **render: object) -> Iteration:
    issue = Issue(
        kind="python", severity=Severity.ERROR, source=IssueSource.RENDERER, message=text, hint=text, t_start=1.5
    )
    return Iteration(
        index=0,
        kind=IterationKind.WRITE,
        code=text,
        docs_used=("geometry_shapes",),
        render=Render(ok=False, message=text, traceback_tail=text, error_symbol=text, scene=text, **render),
        critique=Critique(verdict=Verdict.REPAIR, issues=(issue,)),
    )


def test_numbers_that_a_server_or_a_video_made_up_are_stored() -> None:
    run = RunFactory()
    lease = claim(run.id, "worker-1")
    record_call(lease, 0, a_call("x", input_tokens=-5, output_tokens=10**15))
    frames = (Frame(path="frames/00.png", t=float("nan")), Frame(path="frames/01.png", t=float("inf")))
    record_iteration(lease, an_iteration("x", frames=frames), (), RenderFiles())
    kept = run_record(Run.objects.get())
    assert (kept.calls[0].usage.input_tokens, kept.calls[0].usage.output_tokens) == (0, 2**31 - 1)
    assert [frame.t for frame in kept.iterations[0].render.frames] == [0.0, 0.0]


def test_every_record_shows_on_the_page_of_its_job() -> None:
    run = RunFactory()
    lease = claim(run.id, "worker-1")
    versions = [job_of(run).version]
    for write in (
        lambda: record_stage(lease, Stage.WRITING, "write 1"),
        lambda: record_call(lease, 0, a_call("x")),
        lambda: record_iteration(lease, an_iteration("x"), (), RenderFiles()),
        lambda: record_plan(lease, Plan(text="x")),
    ):
        write()
        versions.append(job_of(run).version)
    assert versions == sorted(set(versions))


def test_what_is_recorded_twice_is_kept_once() -> None:
    run = RunFactory()
    lease = claim(run.id, "worker-1")
    for text in ("first", "again"):
        record_call(lease, 0, a_call(text))
        record_iteration(lease, an_iteration(text), (), RenderFiles())
    kept = run_record(Run.objects.get())
    assert [call.completion for call in kept.calls] == ["first"]
    assert [iteration.code for iteration in kept.iterations] == ["first"]
