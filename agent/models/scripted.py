"""A model that plays back a script: for tests, demonstrations and reproducing a reported Run."""

import json
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from agent.errors import Canceled, CannotStart, ModelError
from agent.models.model import MAX_COMPLETION_CHARACTERS, Completion, CompletionRequest
from agent.types import FinishReason, Record, Usage

# How a setting or an option names a script instead of a server.
SCRIPTED = "scripted:"


class Line(Record):
    """One scripted answer; `error` is raised as a ModelError after the delay."""

    content: str = ""
    finish_reason: FinishReason = FinishReason.STOP
    delay_s: float = 0.0
    error: str | None = None
    cost: float = 0.0


class ScriptedModel:
    """Answers call after call with the next line of its script and keeps the requests it was sent."""

    def __init__(self, lines: Sequence[str | Line], name: str = "scripted", calls_made: int = 0) -> None:
        self.name = self.identity = name
        self.requests: list[CompletionRequest] = []
        self._calls_made = calls_made
        self._lines = [line if isinstance(line, Line) else Line(content=line) for line in lines]

    @classmethod
    def from_file(cls, path: Path, calls_made: int = 0) -> "ScriptedModel":
        """Read a JSON list of strings or of `{content, finish_reason, delay_s, error, cost}`.

        `calls_made` is where a Run that goes on stands in it. Raises CannotStart.
        """
        try:
            lines = TypeAdapter(list[str | Line]).validate_python(json.loads(path.read_text(encoding="utf-8")))
        except OSError as error:
            raise CannotStart(f"The script {path} cannot be read: {error.strerror}.") from error
        except (ValueError, ValidationError) as error:
            raise CannotStart(f"The script {path} is not a JSON list of answers.") from error
        return cls(lines, name=f"scripted:{path.name}", calls_made=calls_made)

    def complete(self, request: CompletionRequest, should_stop: Callable[[], bool]) -> Completion:
        """The next line of the script. Raises ModelError when it says so or has run out, Canceled on should_stop."""
        self.requests.append(request)
        number = self._calls_made + len(self.requests)
        if number > len(self._lines):
            raise ModelError(f"The script has no answer left for call {number}.")
        line = self._lines[number - 1]
        started = time.monotonic()
        while (left := started + line.delay_s - time.monotonic()) > 0:
            if should_stop():
                raise Canceled("The run was canceled.")
            time.sleep(min(0.05, left))
        if line.error is not None:
            raise ModelError(line.error)
        sent = sum(len(message.content) for message in request.messages)
        usage = Usage(
            input_tokens=sent // 4,
            output_tokens=len(line.content) // 4,
            seconds=time.monotonic() - started,
            cost=line.cost,
        )
        if len(line.content) > MAX_COMPLETION_CHARACTERS:  # cut where the client would cut it
            text = line.content[:MAX_COMPLETION_CHARACTERS]
            return Completion(text=text, finish_reason=FinishReason.LENGTH, usage=usage)
        return Completion(text=line.content, finish_reason=line.finish_reason, usage=usage)
