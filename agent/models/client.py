"""The one client for OpenAI-compatible servers: vLLM, llama-server, Ollama, hosted ones, and the embedded model.

The answer is streamed, so that a cancel is heard between chunks. Tries are repeated on 429, 5xx and lost
connections; what is final (a wrong key, an unknown model) is said at once in one sentence.
"""

import asyncio
import time
from collections.abc import Callable
from concurrent.futures import CancelledError, wait

import httpx2
import openai
from anyio.from_thread import start_blocking_portal
from openai.types.chat import ChatCompletionMessageParam
from tenacity import RetryCallState, Retrying, retry_if_exception_type, stop_after_attempt, wait_random_exponential

from agent.errors import Canceled, ModelError
from agent.models.endpoint import Endpoint
from agent.models.model import Completion, CompletionRequest
from agent.models.stream import BoundedStream, ClientPolicy, Retryable, StreamReader
from agent.plain_text import one_line


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
            except openai.APIError as error:  # an error inside the stream
                raise ModelError(
                    f"The model server at {self._endpoint.base_url} reported: {one_line(str(error))}"
                ) from error
            except TimeoutError as error:
                raise ModelError(f"The model did not finish its answer within {self._policy.call_s:.0f} s.") from error
            except (ValueError, TypeError, AttributeError) as error:
                # The client checks little of what it reads: a server that speaks something else ends up here.
                raise ModelError(
                    f"The model server at {self._endpoint.base_url} does not speak the OpenAI protocol."
                ) from error

    async def _stream(self, request: CompletionRequest) -> Completion:
        reader = StreamReader(time.monotonic())
        async with asyncio.timeout(self._policy.call_s), self._client() as client:
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
        return reader.completion(request, self._endpoint)

    def _client(self) -> openai.AsyncOpenAI:
        """A client for one try: it must not outlive the event loop that it runs on."""
        timeout = httpx2.Timeout(self._policy.silence_s, connect=self._policy.connect_s)
        return openai.AsyncOpenAI(
            base_url=self._endpoint.base_url,
            api_key=self._endpoint.api_key or "none",
            max_retries=0,
            http_client=openai.DefaultAsyncHttpxClient(
                timeout=timeout,
                # A proxy that the environment names is for the world outside, not for a server on loopback.
                trust_env=not self._endpoint.embedded,
                event_hooks={"response": [self._guard]},
            ),
        )

    async def _guard(self, response: httpx2.Response) -> None:
        """Refuse what is no stream of events, and bound what is one before anything reads it."""
        kind = response.headers.get("content-type", "")
        if response.is_success and "text/event-stream" not in kind:
            raise ModelError(
                f"The server at {self._endpoint.base_url} did not answer as a model server "
                f"({one_line(kind) or 'no content type'}); is the URL right?"
            )
        if isinstance(response.stream, httpx2.AsyncByteStream):
            response.stream = BoundedStream(response.stream, self._policy)

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


def name_of(error: Exception) -> str:
    """What happened, for a sentence: the message if there is one, else the class."""
    return str(error) or type(error).__name__
