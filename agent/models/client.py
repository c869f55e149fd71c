"""The one client for OpenAI-compatible servers: vLLM, llama-server, Ollama, hosted ones, and the embedded model.

The answer is streamed, so that a cancel is heard between chunks. Tries are repeated on 429, 5xx and lost
connections; what is final (a wrong key, an unknown model) is said at once in one sentence.
"""

import time
from collections.abc import Callable
from concurrent.futures import CancelledError, wait

import httpx2
import openai
from anyio.from_thread import start_blocking_portal
from openai.types.chat import ChatCompletionChunk, ChatCompletionMessageParam
from tenacity import RetryCallState, Retrying, retry_if_exception_type, stop_after_attempt, wait_random_exponential

from agent.errors import Canceled, ModelError
from agent.models.endpoint import Endpoint
from agent.models.model import MAX_COMPLETION_CHARACTERS, Completion, CompletionRequest
from agent.types import FinishReason, Record, Usage

FINISH_REASONS = {reason.value: reason for reason in FinishReason}


class ClientPolicy(Record):
    """How long to wait and how often to try. Seconds. `silence_s` covers the reading of a long prompt on a CPU."""

    connect_s: float = 10.0
    silence_s: float = 300.0
    call_s: float = 1800.0
    attempts: int = 4
    first_pause_s: float = 0.5
    longest_pause_s: float = 20.0


class Retryable(ModelError):
    """This try failed in a way that may pass; `pause_s` is what the server asked for, if it did."""

    def __init__(self, sentence: str, pause_s: float | None = None) -> None:
        super().__init__(sentence)
        self.pause_s = pause_s


class OpenAIModel:
    """A model behind an Endpoint. Prices are US dollars per million tokens and come with the Endpoint."""

    def __init__(self, endpoint: Endpoint, policy: ClientPolicy | None = None) -> None:
        self.name = endpoint.model
        self.identity = f"{endpoint.model}@{endpoint.sha256[:12] if endpoint.sha256 else endpoint.base_url}"
        self._endpoint = endpoint
        self._policy = policy or ClientPolicy()

    def complete(self, request: CompletionRequest, should_stop: Callable[[], bool]) -> Completion:
        """Stream one completion. Raises ModelError with one sentence, or Canceled within a second of should_stop."""
        pauses = Pauses(should_stop)
        policy = self._policy
        retrying = Retrying(
            retry=retry_if_exception_type(Retryable),
            stop=stop_after_attempt(policy.attempts),
            wait=self._pause,
            sleep=pauses.sleep,
            reraise=True,
        )
        completion = retrying(self._try, request, should_stop)
        return completion.model_copy(update={"waited_s": pauses.total_s})

    def _pause(self, state: RetryCallState) -> float:
        error = state.outcome.exception() if state.outcome else None
        if isinstance(error, Retryable) and error.pause_s is not None:
            return min(error.pause_s, self._policy.longest_pause_s)
        policy = self._policy
        return wait_random_exponential(policy.first_pause_s, policy.longest_pause_s)(state)

    def _try(self, request: CompletionRequest, should_stop: Callable[[], bool]) -> Completion:
        """One try. The stream runs on an event loop of its own, so that a silent server can be left at any time
        while `should_stop` is asked from the caller's thread (it may use a database connection)."""
        with start_blocking_portal() as portal:
            future = portal.start_task_soon(self._stream, request)
            while not wait([future], timeout=0.1).done:
                if should_stop():
                    future.cancel()
                    break
            try:
                return future.result()
            except CancelledError:
                raise Canceled("The run was canceled.") from None
            except httpx2.TransportError as error:
                raise Retryable(f"The connection to the model server broke: {name_of(error)}.") from error
            except openai.APIConnectionError as error:
                raise Retryable(self._unreachable(error)) from error
            except openai.APIStatusError as error:
                raise self._refused(error) from error
            except (openai.APIError, ValueError, TypeError, AttributeError) as error:
                # The client checks little of what it reads: a server that speaks something else ends up here.
                raise ModelError(
                    f"The model server at {self._endpoint.base_url} does not speak the OpenAI protocol: "
                    f"{one_line(str(error))}"
                ) from error

    async def _stream(self, request: CompletionRequest) -> Completion:
        policy = self._policy
        timeout = httpx2.Timeout(policy.silence_s, connect=policy.connect_s)
        reader = StreamReader(time.monotonic())
        async with openai.AsyncOpenAI(
            base_url=self._endpoint.base_url,
            api_key=self._endpoint.api_key or "none",
            timeout=timeout,
            max_retries=0,
            # A proxy that the environment names is for the world outside, not for a server on loopback.
            http_client=openai.DefaultAsyncHttpxClient(trust_env=not self._endpoint.embedded, timeout=timeout),
        ) as client:
            stream = await client.chat.completions.create(
                model=self._endpoint.model,
                messages=[to_wire(message.role, message.content) for message in request.messages],
                temperature=request.temperature,
                seed=request.seed,
                max_tokens=request.max_tokens,
                stream=True,
                stream_options={"include_usage": True},
                extra_body={"cache_prompt": False} if request.repeatable and self._endpoint.embedded else None,
            )
            async with stream:
                async for chunk in stream:
                    if not reader.read(chunk):
                        break
                    if time.monotonic() - reader.started > policy.call_s:
                        raise ModelError(f"The model did not finish its answer within {policy.call_s:.0f} s.")
        return reader.completion(request, self._endpoint)

    def _unreachable(self, error: openai.APIConnectionError) -> str:
        if isinstance(error, openai.APITimeoutError):
            return f"The model server at {self._endpoint.base_url} did not answer in time."
        return f"The model server at {self._endpoint.base_url} cannot be reached."

    def _refused(self, error: openai.APIStatusError) -> ModelError:
        status, where = error.status_code, self._endpoint.base_url
        if status == 429 or status >= 500:
            wording = "is busy" if status == 429 else "failed"
            return Retryable(f"The model server at {where} {wording} (HTTP {status}).", retry_after(error.response))
        if status in (401, 403):
            return ModelError(f"The model server at {where} refused the key in LLM_API_KEY (HTTP {status}).")
        if status == 404:
            return ModelError(f"The server at {where} does not know the model {self._endpoint.model} (HTTP 404).")
        return ModelError(f"The model server refused the request (HTTP {status}): {one_line(error.message)}")


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


class Pauses:
    """Sleeps between tries in short steps, so that a cancel is heard, and remembers how long it slept."""

    def __init__(self, should_stop: Callable[[], bool]) -> None:
        self.total_s = 0.0
        self._should_stop = should_stop

    def sleep(self, seconds: float) -> None:
        started = time.monotonic()
        while (left := started + seconds - time.monotonic()) > 0:
            if self._should_stop():
                raise Canceled("The run was canceled.")
            time.sleep(min(0.1, left))
        self.total_s += time.monotonic() - started


def to_wire(role: str, content: str) -> ChatCompletionMessageParam:
    """One message as the protocol wants it."""
    if role == "system":
        return {"role": "system", "content": content}
    if role == "assistant":
        return {"role": "assistant", "content": content}
    return {"role": "user", "content": content}


def retry_after(response: httpx2.Response) -> float | None:
    """The pause a server asked for, in seconds, if it named one as a number."""
    try:
        return float(response.headers.get("retry-after", ""))
    except ValueError:
        return None


def one_line(text: str) -> str:
    """A server's words inside a sentence of ours."""
    return " ".join(text.split())[:300]


def name_of(error: Exception) -> str:
    """What happened, for a sentence: the message if there is one, else the class."""
    return str(error) or type(error).__name__
