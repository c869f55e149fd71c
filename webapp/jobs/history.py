"""From the rows of a Run to the agent's own record of it: what a resumed Run goes on from, and what is handed out."""

from agent.types import (
    Author,
    Call,
    CallRole,
    Critique,
    FinishReason,
    Iteration,
    IterationKind,
    Message,
    Outcome,
    Plan,
    Prompt,
    Question,
    Render,
    Score,
    StopReason,
    StrategyName,
    Usage,
)
from agent.types import Run as Outline
from webapp.jobs import models

VIDEO_NAME = "video.mp4"


def run_record(run: models.Run) -> Outline:
    """The Run as it stands, with its calls and iterations. Paths in it are those of the agent's run folder."""
    calls = tuple(call_record(call) for call in run.calls.all())
    return Outline(
        id=run.id.hex,
        prompt=Prompt.model_validate(run.prompt),
        strategy=StrategyName(run.strategy),
        model=run.model,
        seed=run.seed,
        versions=run.versions,
        outcome=Outcome(run.outcome) if run.outcome else None,
        stop_reason=StopReason(run.stop_reason) if run.stop_reason else None,
        message=run.message,
        final_video=VIDEO_NAME if run.final_video else None,
        best_iteration=run.best_iteration,
        usage=sum((call.usage for call in calls), Usage()),
        final_render=Render.model_validate(run.final_render) if run.final_render else None,
        plan=Plan.model_validate(run.plan) if run.plan else None,
        questions=tuple(Question.model_validate(question) for question in run.questions),
        scores=tuple(Score.model_validate(score) for score in run.scores),
        wall_s=run.wall_s,
        render_s=run.render_s,
        wait_s=run.wait_s,
        overhead_s=run.overhead_s,
        calls=calls,
        iterations=tuple(iteration_record(iteration) for iteration in run.iterations.all()),
    )


def call_record(call: models.Call) -> Call:
    """One model call."""
    return Call(
        role=CallRole(call.role),
        iteration=call.iteration,
        messages=tuple(Message.model_validate(message) for message in call.messages),
        completion=call.completion,
        finish_reason=FinishReason(call.finish_reason),
        usage=Usage(
            input_tokens=call.input_tokens, output_tokens=call.output_tokens, seconds=call.seconds, cost=call.cost
        ),
    )


def iteration_record(iteration: models.Iteration) -> Iteration:
    """One turn."""
    return Iteration(
        index=iteration.index,
        kind=IterationKind(iteration.kind),
        author=Author(iteration.author),
        parent=iteration.parent,
        code=iteration.code,
        docs_used=tuple(iteration.docs_used),
        candidates=iteration.candidates,
        render=Render.model_validate(iteration.render) if iteration.render else None,
        critique=Critique.model_validate(iteration.critique) if iteration.critique else None,
    )
