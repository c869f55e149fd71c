"""Every error we raise on purpose. Each carries one sentence for a person; none logs when it is made."""


class ProofreelError(Exception):
    """Base of our errors: `str(error)` is one clear sentence that may be shown to the person who asked."""


class CannotStart(ProofreelError):
    """A part that is needed is missing or broken before any work was done (exit code 3)."""


class BadPrompt(ProofreelError):
    """The prompt itself cannot be worked on; the sentence says what to change."""


class ModelError(ProofreelError):
    """The model gave no answer, and trying again now would not help."""


class InfrastructureError(ProofreelError):
    """A part of ours failed (renderer gone, disk full): never the prompt's or the model's fault."""


class Canceled(ProofreelError):
    """The person who asked no longer wants the answer."""
