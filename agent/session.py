"""The state of one Run while it is worked on: the only thing in the agent that changes."""

from dataclasses import dataclass
from pathlib import Path

from agent.beginning import resumed
from agent.clock import RunClock
from agent.config import AgentConfig
from agent.critique.pixels import pixel_issues
from agent.critique.verdict import critique_of, failure_issue, unchanged_issue
from agent.errors import Canceled, LimitReached, RunEnded
from agent.extraction import Extraction, same_program
from agent.models.model import Completion, CompletionRequest
from agent.recorder import Recorder
from agent.renderer.protocol import RenderRequest
from agent.run_folder import deliver, iteration_folder, relative_to_run
from agent.scoring.iteration import iteration_scores
from agent.strategies.strategy import Strategy, Turn
from agent.types import (
    Author,
    Call,
    Critique,
    ErrorKind,
    FinishReason,
    FollowUp,
    Iteration,
    IterationKind,
    Outcome,
    Quality,
    Render,
    Run,
    Stage,
    StopReason,
)
from agent.workbench import Parts, Workbench

# Sampled pictures of a draft: enough that a pulse of half a second in a short video is not missed.
SAMPLED_FRAMES = 16


@dataclass(frozen=True)
class Draft:
    """The program that a turn came to."""

    extraction: Extraction
    finish_reason: FinishReason
    candidates: int


class Session:
    """Carries out what the loop decides, counts what it costs, and tells the recorder."""

    def __init__(self, parts: Parts, folder: Path, config: AgentConfig, recorder: Recorder, run: Run) -> None:
        self.run = resumed(run)
        self._folder = folder
        self._config = config
        self._recorder = recorder
        self._clock = RunClock(self.run.wall_s, self.run.render_s, self.run.wait_s, self.run.usage.seconds)
        self._bench = Workbench(parts, config, recorder, self._clock)
        self._parent_code: str | None = None

    def write(self, turn: Turn, strategy: Strategy) -> Draft:
        """Draw completions until one is a new program that may run; else the best of those drawn."""
        self._recorder.stage(Stage.WRITING, f"{turn.kind.value} {len(self.run.iterations) + 1}")
        drafts: list[Draft] = []
        for candidate in range(turn.candidates):
            completion = self._call(turn, candidate)
            extraction = strategy.extract(completion.text, completion.finish_reason)
            drafts.append(Draft(extraction, completion.finish_reason, candidate + 1))
            if extraction.error_kind is None and not self._was_tried(extraction.code):
                return drafts[-1]
        runnable = [draft for draft in drafts if draft.extraction.error_kind is None]
        chosen = (runnable or drafts)[-1]
        return Draft(chosen.extraction, chosen.finish_reason, len(drafts))

    def try_out(self, draft: Draft) -> tuple[Render, Critique]:
        """Render a draft and look at its frames; what cannot run is not rendered, what ran before not again."""
        extraction = draft.extraction
        if extraction.error_kind:
            render = Render(
                ok=False,
                error_kind=extraction.error_kind,
                message=extraction.message,
                line=extraction.line,
            )
            return render, critique_of([failure_issue(render)])
        render = self._render(extraction.code)
        if render.error_kind is ErrorKind.SYNTAX and draft.finish_reason is FinishReason.LENGTH:
            render = render.model_copy(update={"error_kind": ErrorKind.TRUNCATED})
        if not render.ok:
            return render, critique_of([failure_issue(render)])
        issues = pixel_issues(render.frames, self._folder, self.run.prompt.motion)
        if self._parent_code and same_program(self._parent_code, extraction.code):
            issues.append(unchanged_issue())
        return render, critique_of(issues)

    def keep(self, turn: Turn, draft: Draft, render: Render, critique: Critique) -> None:
        """The turn is over: store it and tell the recorder."""
        self._keep(
            Iteration(
                index=len(self.run.iterations),
                kind=turn.kind,
                parent=turn.parent,
                code=draft.extraction.code,
                docs_used=turn.docs_used,
                candidates=draft.candidates,
                render=render,
                critique=critique,
            )
        )

    def begin_follow_up(self, follow_up: FollowUp, strategy: Strategy) -> None:
        """Note where a follow-up comes from; code that a person edited is tried before anything is written."""
        parent = {"parent_run": follow_up.parent_run, "parent_iteration": follow_up.from_iteration.index}
        self.run = self.run.model_copy(update={**parent, "plan": follow_up.plan})
        self._parent_code = follow_up.code or follow_up.from_iteration.code
        if follow_up.code is None or self.run.iterations:
            return
        draft = Draft(Extraction(code=follow_up.code), FinishReason.STOP, 0)
        self._parent_code = None  # the edit is not a copy of itself
        render, critique = self.try_out(draft)
        self._parent_code = follow_up.code
        critique = strategy.judge(self.run, render, critique)
        self._keep(
            Iteration(
                index=0,
                kind=IterationKind.EDIT,
                author=Author.HUMAN,
                code=follow_up.code,
                candidates=0,
                render=render,
                critique=critique,
            )
        )

    def check_limits(self) -> None:
        """Raise LimitReached once time, tokens or money is used up."""
        limits, usage = self._config.limits, self.run.usage
        if self._clock.active_s >= limits.wall_s:
            raise LimitReached(StopReason.TIME_LIMIT, f"The time limit of {limits.wall_s:.0f} s was reached.")
        if limits.tokens is not None and usage.input_tokens + usage.output_tokens >= limits.tokens:
            raise LimitReached(StopReason.TOKEN_LIMIT, f"The limit of {limits.tokens} tokens was reached.")
        if limits.cost is not None and usage.cost >= limits.cost:
            raise LimitReached(StopReason.COST_LIMIT, f"The limit of ${limits.cost:.2f} was reached.")

    def end(self, reason: StopReason, sentence: str) -> None:
        """Note why the Run ends."""
        self.run = self.run.model_copy(update={"stop_reason": reason, "message": sentence})

    def end_stopped(self, canceled: Canceled) -> None:
        """A call or render was told to stop: by the person, or because the time was up."""
        if self._recorder.should_stop():
            self.end(canceled.stop_reason, str(canceled))
            return
        try:
            self.check_limits()
        except LimitReached as limit:
            self.end(limit.stop_reason, str(limit))
        else:
            self.end(canceled.stop_reason, str(canceled))

    def finish(self, best: int | None) -> Run:
        """Render the best iteration at the asked quality, put it where people look, and close the books."""
        render = self._final_render(self.run.iterations[best]) if best is not None else None
        reason = self.run.stop_reason
        outcome = Outcome.FAILED if render is None else Outcome.BEST_EFFORT
        if reason is StopReason.CANCELED:
            outcome = Outcome.CANCELED
        elif reason is StopReason.ACCEPTED and render is not None:
            outcome = Outcome.ACCEPTED
        update: dict[str, object] = {"outcome": outcome, "best_iteration": best, "final_render": render}
        if best is not None:
            update["scores"] = iteration_scores(self.run.iterations[best], self.run.calls)
            if render is not None:
                update["final_video"] = deliver(self._folder, self.run.iterations[best], render)
        clock = self._clock
        self.run = self.run.model_copy(
            update=update
            | {
                "wall_s": round(clock.wall_s, 3),
                "render_s": round(clock.render_s, 3),
                "wait_s": round(clock.wait_s, 3),
                "overhead_s": round(clock.overhead_s, 3),
            }
        )
        self._recorder.stage(Stage.DONE, outcome.value)
        return self.run

    def _call(self, turn: Turn, candidate: int) -> Completion:
        self.check_limits()
        index = len(self.run.iterations)
        request = CompletionRequest(
            messages=turn.messages,
            max_tokens=self._config.max_tokens,
            temperature=turn.temperature,
            repeatable=self._config.repeatable,
            seed=self._config.seed + 1000 * index + candidate,
        )
        completion = self._bench.complete(request)
        call = Call(
            role=turn.role,
            iteration=index,
            messages=turn.messages,
            completion=completion.text,
            finish_reason=completion.finish_reason,
            usage=completion.usage,
        )
        self.run = self.run.model_copy(
            update={"calls": (*self.run.calls, call), "usage": self.run.usage + completion.usage}
        )
        self._recorder.call(call)
        return completion

    def _render(self, code: str) -> Render:
        earlier = self._earlier(code)
        if earlier and earlier.render and self._still_has(earlier.render, with_frames=True):
            return earlier.render.model_copy(update={"cached": True, "wall_s": 0.0})
        out_dir = iteration_folder(self._folder, len(self.run.iterations))
        request = RenderRequest(
            code=code,
            out_dir=str(out_dir),
            frames=SAMPLED_FRAMES,
            seed=self._config.seed,
            limits=self._config.render_limits,
        )
        return relative_to_run(self._bench.draft(request), self._folder, out_dir)

    def _final_render(self, iteration: Iteration) -> Render | None:
        """At the asked quality; the draft when that is what was asked for, or when the final render fails.

        None when a Run that was begun in another folder has lost its draft and it cannot be made again.
        """
        draft = iteration.render
        if draft is None or not self._still_has(draft):
            try:
                draft = self._render(iteration.code)
            except Canceled as canceled:
                self.end_stopped(canceled)
                return None
            except RunEnded as ended:
                self.end(ended.stop_reason, f"The video could not be made again: {ended}")
                return None
        quality = self.run.prompt.quality
        if quality is Quality.P480_15 or self.run.stop_reason in (StopReason.CANCELED, StopReason.INFRASTRUCTURE):
            return draft
        out_dir = self._folder / "final"
        out_dir.mkdir(exist_ok=True)
        request = RenderRequest(
            code=iteration.code,
            out_dir=str(out_dir),
            quality=quality,
            frames=0,
            seed=self._config.seed,
            limits=self._config.render_limits.model_copy(update={"wall_s": 2 * self._config.render_limits.wall_s}),
        )
        try:
            render = self._bench.finish(request)
        except RunEnded as ended:  # the person left, or a part of ours did: that is how the Run ends
            self.end(ended.stop_reason, f"{ended} What there is of the video is the draft.")
            return draft
        if render.ok:
            return relative_to_run(render, self._folder, out_dir)
        self._add_to_message(f"The render at {quality.value} failed, so the draft is delivered: {render.message}")
        return draft

    def _add_to_message(self, sentence: str) -> None:
        self.run = self.run.model_copy(update={"message": f"{self.run.message} {sentence}"})

    def _keep(self, iteration: Iteration) -> None:
        (iteration_folder(self._folder, iteration.index) / "scene.py").write_text(iteration.code, encoding="utf-8")
        self.run = self.run.model_copy(update={"iterations": (*self.run.iterations, iteration)})
        self._recorder.iteration(iteration)

    def _earlier(self, code: str) -> Iteration | None:
        """The iteration that already tried this very program."""
        return next((earlier for earlier in self.run.iterations if same_program(earlier.code, code)), None)

    def _was_tried(self, code: str) -> bool:
        """Whether drawing again is better than trying this: it failed before, or it is what should be changed."""
        is_parent = self._parent_code is not None and same_program(self._parent_code, code)
        return is_parent or self._earlier(code) is not None

    def _still_has(self, render: Render, *, with_frames: bool = False) -> bool:
        """Whether a render's video lies in this folder, and, if asked for, the pictures that it is judged by."""
        needed = [render.video] if render.video else []
        if with_frames:
            needed += [frame.path for frame in render.frames]
        return all((self._folder / path).exists() for path in needed)
