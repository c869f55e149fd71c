"""Every error we raise on purpose. Each carries one sentence for a person; none logs when it is made."""

from agent.types import StopReason


class ProofreelError(Exception):
    """Base of our errors: `str(error)` is one clear sentence that may be shown to the person who asked."""


class CannotStart(ProofreelError):
    """A part that is needed is missing or broken before any work was done (exit code 3)."""


class RunEnded(ProofreelError):
    """Ends a Run; `stop_reason` is what the Run then says."""

    stop_reason: StopReason


class BadPrompt(RunEnded):
    """The prompt itself cannot be worked on; the sentence says what to change."""

    stop_reason = StopReason.BAD_PROMPT


class ModelError(RunEnded):
    """The model gave no answer. From a server that is down it is a fault of infrastructure: the `stop_reason` of the
    instance says which."""

    stop_reason = StopReason.MODEL_ERROR


class InfrastructureError(RunEnded):
    """A part of ours failed (renderer gone, disk full): never the prompt's or the model's fault."""

    stop_reason = StopReason.INFRASTRUCTURE


class Canceled(RunEnded):
    """The person who asked no longer wants the answer."""

    stop_reason = StopReason.CANCELED


class LimitReached(RunEnded):
    """A limit of the Run (time, tokens, cost) is used up; the best render so far is delivered."""

    def __init__(self, stop_reason: StopReason, sentence: str) -> None:
        super().__init__(sentence)
        self.stop_reason = stop_reason
