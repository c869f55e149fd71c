"""The paper's strategies to the letter (PAPERS A3-A4), so that results compare.

Stateless, the raw last 10 lines of the error, stop at the first exit 0, no guard, no best candidate: findings are
recorded but do not steer. Greedy decoding with a seed; a render may take `RenderLimits.wall_s`.
"""

from agent.config import AgentConfig
from agent.extraction import Extraction, extract_block
from agent.messages import chat, render_template
from agent.strategies.strategy import Turn, counted
from agent.types import (
    CallRole,
    Critique,
    FinishReason,
    FollowUp,
    IterationKind,
    Render,
    Run,
    StopReason,
    Verdict,
)

NO_ERROR_TEXT = "NONE"


class Vanilla:
    """One shot: the description in, a program out, rendered once."""

    rounds = 0

    def __init__(self, config: AgentConfig) -> None:
        self._config = config

    def stop(self, run: Run, follow_up: FollowUp | None) -> tuple[StopReason, str] | None:
        """Accepted at the first render; at the limit after `rounds` further answers."""
        del follow_up
        if not run.iterations:
            return None
        render = run.iterations[-1].render
        if render and render.ok:
            return StopReason.ACCEPTED, "The program rendered."
        if len(run.iterations) > self.rounds:
            reason = render.message if render else ""
            return StopReason.STEP_LIMIT, f"No program rendered in {counted(len(run.iterations))}. {reason}".strip()
        return None

    def next_turn(self, run: Run, follow_up: FollowUp | None) -> Turn:
        """The description alone. A follow-up is a new description: the paper knows no conversation."""
        text = follow_up.text if follow_up and follow_up.text else run.prompt.text
        messages = chat(render_template("paper_system.j2"), render_template("paper_user.j2", prompt=text))
        return Turn(kind=IterationKind.WRITE, role=CallRole.WRITE, messages=messages)

    def extract(self, answer: str, finish_reason: FinishReason) -> Extraction:
        """The last CODE block, else the last Python fence, rendered as it is."""
        return extract_block(answer, finish_reason)

    def judge(self, run: Run, render: Render, critique: Critique) -> Critique:
        """Accepted means exit 0 and a file; the findings stay on record."""
        del run
        return critique.model_copy(update={"verdict": Verdict.ACCEPT if render.ok else Verdict.REPAIR})

    def best(self, run: Run) -> int | None:
        """The last program, if it rendered: nothing earlier is remembered."""
        last = run.iterations[-1] if run.iterations else None
        return last.index if last and last.render and last.render.ok else None


class Ritl(Vanilla):
    """Renderer in the loop: the last code and the last 10 lines of its error go back, K rounds at most."""

    def __init__(self, config: AgentConfig) -> None:
        super().__init__(config)
        self.rounds = config.repairs

    def next_turn(self, run: Run, follow_up: FollowUp | None) -> Turn:
        """The first answer is asked for as in `vanilla`; after that description, last code and its error."""
        if not run.iterations:
            return super().next_turn(run, follow_up)
        last = run.iterations[-1]
        errors = (last.render.traceback_tail if last.render else "") or NO_ERROR_TEXT
        text = follow_up.text if follow_up and follow_up.text else run.prompt.text
        user = render_template("paper_user.j2", prompt=text, code=last.code.strip("\n"), errors=errors)
        messages = chat(render_template("ritl_system.j2"), user)
        return Turn(kind=IterationKind.REPAIR, role=CallRole.REPAIR, messages=messages, parent=last.index)
