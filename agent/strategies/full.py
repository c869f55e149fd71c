"""Our strategy: retrieved examples, cleaned errors, the best candidate kept, and no parroting.

Small models answer a repair request with the failed program itself, byte for byte. So the failed code is left out of
the request, several completions are drawn until one is new, and an error that comes back changes the approach.
"""

from importlib.metadata import version

from agent.config import AgentConfig
from agent.critique.verdict import rank
from agent.examples.library import Example
from agent.extraction import Extraction, extract_scene
from agent.messages import chat, render_template
from agent.prompt_check import undrawn_script
from agent.retrieval.index import ExampleIndex
from agent.strategies.strategy import Turn, counted
from agent.types import (
    CallRole,
    Critique,
    FinishReason,
    FollowUp,
    Issue,
    Iteration,
    IterationKind,
    Message,
    Motion,
    Render,
    Run,
    Severity,
    StopReason,
    Verdict,
)

REPEATS_BEFORE_STOP = 3


class Full:
    """Write with examples; judge by what a viewer sees; repair by a fresh program that knows the error."""

    def __init__(self, config: AgentConfig, examples: ExampleIndex | None) -> None:
        self._config = config
        self._examples = examples

    def stop(self, run: Run, follow_up: FollowUp | None) -> tuple[StopReason, str] | None:
        """Accepted, the same error three times, or the step limit."""
        if not run.iterations:
            return None
        last = run.iterations[-1]
        if last.kind is IterationKind.EDIT and asks_for_change(follow_up):
            return None
        if last.critique and last.critique.verdict is Verdict.ACCEPT:
            return StopReason.ACCEPTED, accepted_line(run.prompt.motion)
        if same_error_streak(run) >= REPEATS_BEFORE_STOP:
            return StopReason.REPEATED_ERROR, f"The same error came back {REPEATS_BEFORE_STOP} times: {fault_of(last)}"
        tries = sum(1 for iteration in run.iterations if iteration.kind is not IterationKind.EDIT)
        if tries > self._config.repairs:
            return StopReason.STEP_LIMIT, f"Nothing passed every check in {counted(tries)}; the last: {fault_of(last)}"
        return None

    def next_turn(self, run: Run, follow_up: FollowUp | None) -> Turn:
        """Write, then repair; a follow-up starts by revising the program it speaks of."""
        if follow_up and asks_for_change(follow_up):
            return self._revise(run, follow_up)
        if run.iterations:
            return self._repair(run)
        examples = self._search(run.prompt.text, run)
        user = render_template("full_write.j2", **self._write_values(run), examples=examples)
        return Turn(
            kind=IterationKind.WRITE,
            role=CallRole.WRITE,
            messages=self._chat(run, user),
            docs_used=tuple(example.id for example in examples),
        )

    def extract(self, answer: str, finish_reason: FinishReason) -> Extraction:
        """The block with the scene; a program that cannot run is never rendered."""
        return extract_scene(answer, finish_reason)

    def judge(self, run: Run, render: Render, critique: Critique) -> Critique:
        """Any error-severity issue asks for a repair."""
        del run, render
        blocked = any(issue.severity is Severity.ERROR for issue in critique.issues)
        return critique.model_copy(update={"verdict": Verdict.REPAIR if blocked else Verdict.ACCEPT})

    def best(self, run: Run) -> int | None:
        """The best rendered iteration; among equals the first, so that a later one has to be better to win."""
        rendered = [iteration for iteration in run.iterations if iteration.render and iteration.render.ok]
        return max(rendered, key=rank).index if rendered else None

    def _repair(self, run: Run) -> Turn:
        last = run.iterations[-1]
        streak = same_error_streak(run)
        symbol = last.render.error_symbol if last.render else None
        query = f"{run.prompt.text} {symbol or failing_line(last)}"
        used = last.docs_used if streak > 1 else ()
        examples = self._search(query, run, without=used)
        user = render_template(
            "full_repair.j2",
            **self._write_values(run),
            examples=examples,
            issues=blocking_issues(last),
            rendered=bool(last.render and last.render.ok),
            failing_line=failing_line(last),
            earlier=earlier_faults(run),
            change_approach=streak > 1,
            avoid=symbol,
        )
        return Turn(
            kind=IterationKind.REPAIR,
            role=CallRole.REPAIR,
            messages=self._chat(run, user),
            temperature=min(1.0, self._config.repair_temperature + 0.2 * (streak - 1)),
            candidates=self._config.candidates,
            docs_used=tuple(example.id for example in examples),
            parent=last.index,
        )

    def _revise(self, run: Run, follow_up: FollowUp) -> Turn:
        """The program that the follow-up speaks of is shown each time, a failed attempt at changing it never."""
        code = follow_up.code or follow_up.from_iteration.code
        failures = [fault for fault in map(fault_of, run.iterations) if fault]
        user = render_template(
            "full_revise.j2",
            prompt=run.prompt.text,
            code=code,
            issues=follow_up.issues,
            follow_up=follow_up.text,
            failures=list(dict.fromkeys(failures)),
        )
        return Turn(
            kind=IterationKind.REVISE,
            role=CallRole.REVISE,
            messages=self._chat(run, user),
            temperature=self._config.repair_temperature if run.iterations else 0.0,
            candidates=self._config.candidates,
            parent=run.iterations[-1].index if run.iterations else None,
        )

    def _chat(self, run: Run, user: str) -> tuple[Message, ...]:
        still = run.prompt.motion is Motion.STILL
        return chat(render_template("full_system.j2", manim_version=version("manim"), still=still), user)

    def _write_values(self, run: Run) -> dict[str, object]:
        return {
            "prompt": run.prompt.text,
            "plan": run.plan,
            "only_drawn_scripts": undrawn_script(run.prompt.text) is not None,
        }

    def _search(self, query: str, run: Run, without: tuple[str, ...] = ()) -> list[Example]:
        if self._examples is None or not self._config.examples:
            return []
        moving = run.prompt.motion is Motion.ANIMATED
        found = self._examples.search(query, self._config.examples + len(without), moving=moving)
        return [example for example in found if example.id not in without][: self._config.examples]


def accepted_line(motion: Motion) -> str:
    """What the checks can vouch for, and what they cannot."""
    drawn = "It is drawn." if motion is Motion.STILL else "It is drawn, and it moves as asked."
    return f"{drawn} Whether the mathematics is right is yours to judge."


def asks_for_change(follow_up: FollowUp | None) -> bool:
    """Whether a follow-up wants something of the model, in words or by marking what is wrong."""
    return bool(follow_up and (follow_up.text.strip() or follow_up.issues))


def blocking_issues(iteration: Iteration) -> tuple[Issue, ...]:
    """What has to go: the errors, or everything found when nothing is an error."""
    issues = iteration.critique.issues if iteration.critique else ()
    return tuple(issue for issue in issues if issue.severity is Severity.ERROR) or issues


def fault_of(iteration: Iteration) -> str:
    """The first blocking issue as a sentence."""
    issues = blocking_issues(iteration)
    return issues[0].message if issues else ""


def earlier_faults(run: Run) -> list[str]:
    """What failed before the last iteration, each fault once: a model goes back to it when it is not told."""
    last = fault_of(run.iterations[-1])
    faults = dict.fromkeys(fault_of(iteration) for iteration in run.iterations[:-1])
    return [fault for fault in faults if fault and fault != last]


def failing_line(iteration: Iteration) -> str:
    """The text of the line that the error names, without the rest of the failed program."""
    line = iteration.render.line if iteration.render else None
    lines = iteration.code.splitlines()
    return lines[line - 1].strip() if line and 0 < line <= len(lines) else ""


def same_error_streak(run: Run) -> int:
    """How many of the last iterations in a row failed in the same way (1 when the last failed in a new way)."""
    signatures = [signature(iteration) for iteration in run.iterations]
    streak = 0
    for candidate in reversed(signatures):
        if candidate != signatures[-1]:
            break
        streak += 1
    return streak


def signature(iteration: Iteration) -> tuple[str, ...]:
    """What makes two failures the same: kind, symbol and message of a crash, or the kinds of the findings."""
    render = iteration.render
    if render and not render.ok:
        return (str(render.error_kind), render.error_symbol or "", render.message[:120])
    return tuple(issue.kind for issue in blocking_issues(iteration))
