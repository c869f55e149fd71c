"""What a worker writes down while a Run goes on. Everything raises LeaseLost; what is written twice is kept once."""

from collections.abc import Mapping

from agent.types import Call as CallRecord
from agent.types import Iteration as IterationRecord
from agent.types import Plan, Record, Score, Stage
from webapp.jobs.actions.leases import Lease, held
from webapp.jobs.actions.states import enter_stage, save_in_step
from webapp.jobs.storable import storable_count, storable_record, storable_records, storable_text


class RenderFiles(Record):
    """The names in storage of what a render left; empty where it left nothing."""

    video: str = ""
    still: str = ""
    poster: str = ""


def record_model(lease: Lease, model: str, versions: Mapping[str, str]) -> None:
    """The model that answers, by its own name, and what is installed where the Run is carried out."""
    with held(lease) as run:
        run.model, run.versions = storable_text(model, 200), dict(versions)
        save_in_step(run)


def record_stage(lease: Lease, stage: Stage, detail: str) -> None:
    """The Run has entered a stage."""
    with held(lease) as run:
        enter_stage(run, stage, detail)
        save_in_step(run)


def record_plan(lease: Lease, plan: Plan) -> None:
    """The scene plan exists."""
    with held(lease) as run:
        run.plan = storable_record(plan)
        save_in_step(run)


def record_call(lease: Lease, index: int, call: CallRecord) -> None:
    """The model call of that number, from 0 on, has ended."""
    with held(lease) as run:
        run.calls.get_or_create(
            index=index,
            defaults={
                "role": call.role.value,
                "iteration": call.iteration,
                "messages": storable_records(call.messages),
                "completion": storable_text(call.completion),
                "finish_reason": call.finish_reason.value,
                "input_tokens": storable_count(call.usage.input_tokens),
                "output_tokens": storable_count(call.usage.output_tokens),
                "seconds": call.usage.seconds,
                "cost": call.usage.cost,
            },
        )
        save_in_step(run)


def record_iteration(lease: Lease, iteration: IterationRecord, scores: tuple[Score, ...], files: RenderFiles) -> None:
    """A turn has ended."""
    render = iteration.render
    with held(lease) as run:
        run.iterations.get_or_create(
            index=iteration.index,
            defaults={
                "kind": iteration.kind.value,
                "author": iteration.author.value,
                "parent": iteration.parent,
                "code": storable_text(iteration.code),
                "docs_used": list(iteration.docs_used),
                "candidates": iteration.candidates,
                "render": storable_record(render) if render else None,
                "critique": storable_record(iteration.critique) if iteration.critique else None,
                "scores": storable_records(scores),
                "ok": render.ok if render else None,
                "error_kind": render.error_kind.value if render and render.error_kind else "",
                **files.model_dump(),
            },
        )
        save_in_step(run)
