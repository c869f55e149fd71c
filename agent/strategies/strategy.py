"""The seam between the loop and a strategy. A strategy keeps no state: all it knows is in the Run so far,
which is why a resumed Run goes on exactly where it stopped."""

from typing import Protocol

from agent.extraction import Extraction
from agent.types import (
    CallRole,
    Critique,
    FinishReason,
    FollowUp,
    IterationKind,
    Message,
    Record,
    Render,
    Run,
    StopReason,
)


class Turn(Record):
    """What to ask the model for next. At most `candidates` completions are drawn until one is new and parses."""

    kind: IterationKind
    role: CallRole
    messages: tuple[Message, ...]
    temperature: float = 0.0
    candidates: int = 1
    docs_used: tuple[str, ...] = ()
    parent: int | None = None


def counted(tries: int) -> str:
    """A number of tries in words."""
    return "1 try" if tries == 1 else f"{tries} tries"


class Strategy(Protocol):
    """Decides over turns, extraction and acceptance; never calls a model or the renderer itself."""

    def stop(self, run: Run, follow_up: FollowUp | None) -> tuple[StopReason, str] | None:
        """Why the Run should end now, with a sentence for the person, or None to go on."""
        ...

    def next_turn(self, run: Run, follow_up: FollowUp | None) -> Turn:
        """The next question for the model."""
        ...

    def extract(self, answer: str, finish_reason: FinishReason) -> Extraction:
        """The program in an answer, or why a render would be wasted on it."""
        ...

    def judge(self, run: Run, render: Render, critique: Critique) -> Critique:
        """The verdict on a rendered iteration, given what the checks found."""
        ...

    def best(self, run: Run) -> int | None:
        """The index of the iteration to deliver, or None while nothing has rendered."""
        ...
