"""One streamed answer: bounded in size and silence while it comes, added up as it is read."""

import asyncio
import time
from collections.abc import AsyncIterator

import httpx2
from openai.types.chat import ChatCompletionChunk

from agent.errors import ModelError
from agent.models.endpoint import Endpoint
from agent.models.model import MAX_COMPLETION_CHARACTERS, Completion, CompletionRequest
from agent.types import FinishReason, Record, StopReason, Usage

# An answer of the longest length in the smallest pieces, each in its envelope of a few hundred bytes.
MAX_STREAM_BYTES = 64 << 20
FINISH_REASONS = {reason.value: reason for reason in FinishReason}


class ClientPolicy(Record):
    """How long to wait and how often to try. Seconds. `silence_s` covers the reading of a long prompt on a CPU,
    `pause_s` the time between two pieces of an answer that has begun."""

    connect_s: float = 10.0
    silence_s: float = 300.0
    pause_s: float = 60.0
    call_s: float = 1800.0
    attempts: int = 4
    first_pause_s: float = 0.5
    longest_pause_s: float = 20.0


class Retryable(ModelError):
    """This try failed in a way that may pass; `pause_s` is what the server asked for, if it did.

    When it does not pass within the tries of one call, the server is down: a fault of the machines, not of the model.
    """

    stop_reason = StopReason.INFRASTRUCTURE

    def __init__(self, sentence: str, pause_s: float | None = None) -> None:
        super().__init__(sentence)
        self.pause_s = pause_s


class BoundedStream(httpx2.AsyncByteStream):
    """A stream that may be neither endless nor silent once it has begun."""

    def __init__(self, stream: httpx2.AsyncByteStream, policy: ClientPolicy) -> None:
        self._stream = stream
        self._policy = policy

    async def __aiter__(self) -> AsyncIterator[bytes]:
        """The bytes as they come. Raises ModelError beyond any program's size, Retryable after a silence."""
        received = 0
        parts = self._stream.__aiter__()
        while True:
            try:
                async with asyncio.timeout(self._policy.pause_s if received else None):
                    part = await anext(parts)
            except StopAsyncIteration:
                return
            except TimeoutError:
                raise Retryable(f"The model server fell silent for {self._policy.pause_s:.0f} s.") from None
            received += len(part)
            if received > MAX_STREAM_BYTES:
                raise ModelError(f"The model server sent more than {MAX_STREAM_BYTES >> 20} MB for one answer.")
            yield part

    async def aclose(self) -> None:
        """Close the connection under it."""
        await self._stream.aclose()


class StreamReader:
    """Adds up the chunks of one stream."""

    def __init__(self, started: float) -> None:
        self.started = started
        self._parts: list[str] = []
        self._characters = 0
        self._finish: FinishReason | None = None
        self._usage: tuple[int, int] | None = None

    def read(self, chunk: ChatCompletionChunk) -> bool:
        """Take one chunk; False once the answer is longer than any program."""
        if chunk.usage:
            self._usage = (chunk.usage.prompt_tokens or 0, chunk.usage.completion_tokens or 0)
        for choice in chunk.choices or ():
            if choice.delta and choice.delta.content:
                self._parts.append(choice.delta.content)
                self._characters += len(choice.delta.content)
            if choice.finish_reason:
                self._finish = FINISH_REASONS.get(choice.finish_reason, FinishReason.UNKNOWN)
        if self._characters > MAX_COMPLETION_CHARACTERS:
            self._finish = FinishReason.LENGTH
            return False
        return True

    def completion(self, request: CompletionRequest, endpoint: Endpoint) -> Completion:
        """The whole answer. A stream that ends without a finish reason was cut on its way: raises Retryable.

        Servers that report no usage get an estimate of four characters a token.
        """
        text = "".join(self._parts)
        if self._finish is None:
            raise Retryable(f"The model server at {endpoint.base_url} broke off its answer.")
        sent = sum(len(message.content) for message in request.messages)
        tokens_in, tokens_out = self._usage or (sent // 4, len(text) // 4)
        cost = (tokens_in * endpoint.input_price + tokens_out * endpoint.output_price) / 1e6
        usage = Usage(
            input_tokens=tokens_in, output_tokens=tokens_out, seconds=time.monotonic() - self.started, cost=cost
        )
        return Completion(text=text, finish_reason=self._finish, usage=usage)
