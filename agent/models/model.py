"""The seam to language models: a request, a completion, and the Protocol that the loop works with."""

from collections.abc import Callable
from typing import Protocol

from agent.types import FinishReason, Message, Record, StorableText, Usage

# No program worth rendering is longer; a server that goes on beyond this is broken or stuck in a loop.
MAX_COMPLETION_CHARACTERS = 200_000


class CompletionRequest(Record):
    """What one call asks for.

    Temperature 0 and a seed make an answer the same again, except that a server may compute a cached prompt slightly
    differently from a fresh one; `repeatable` asks the embedded server not to reuse its cache.
    """

    messages: tuple[Message, ...]
    max_tokens: int
    temperature: float = 0.0
    seed: int = 0
    repeatable: bool = False


class Completion(Record):
    """What came back. `waited_s` is the time between tries, which is not the model's."""

    text: StorableText
    finish_reason: FinishReason
    usage: Usage
    waited_s: float = 0.0


class Model(Protocol):
    """Anything that answers a CompletionRequest."""

    @property
    def name(self) -> str:
        """The model as it is written into the Run."""
        ...

    @property
    def identity(self) -> str:
        """The model as measurements tell it apart: its name, and the hash of its weights where that is known."""
        ...

    def complete(self, request: CompletionRequest, should_stop: Callable[[], bool]) -> Completion:
        """Answer, or raise `ModelError` (no answer to be had) or `Canceled` (should_stop said so, within 1 s)."""
        ...
