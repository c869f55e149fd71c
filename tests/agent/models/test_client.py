"""The client against a real HTTP server that is slow, drops, refuses, or speaks something else."""

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from agent.errors import Canceled, CannotStart, ModelError
from agent.models import stream
from agent.models.client import OpenAIModel
from agent.models.endpoint import Endpoint
from agent.models.model import MAX_COMPLETION_CHARACTERS, CompletionRequest
from agent.models.remote import ANY_MODEL, remote_endpoint
from agent.models.stream import ClientPolicy
from agent.types import FinishReason, Message

REQUEST = CompletionRequest(messages=(Message(role="user", content="a circle"),), max_tokens=50, seed=7)
QUICK = ClientPolicy(connect_s=2, silence_s=1, attempts=3, first_pause_s=0.01, longest_pause_s=0.05)

Answer = Callable[["Handler"], None]


class Handler(BaseHTTPRequestHandler):
    """Plays the server's script: each request gets the next answer, the last one again and again."""

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        requests = self.server.requests
        requests.append((body, self.headers))
        script = self.server.script
        script[min(len(requests), len(script)) - 1](self)

    def do_GET(self) -> None:
        self.plain(200, '{"object": "list", "data": [{"id": "first-model", "object": "model"}, {"id": "second"}]}')

    def plain(self, status: int, body: str, kind: str = "application/json", **headers: str) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(body.encode())

    def stream(self, *deltas: str, finish: str | None = "stop", usage: bool = True, pause_s: float = 0) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        for delta in deltas:
            self.event({"index": 0, "delta": {"content": delta}, "finish_reason": None})
            time.sleep(pause_s)
        if finish:
            self.event({"index": 0, "delta": {}, "finish_reason": finish})
        if usage:
            counts = {"prompt_tokens": 11, "completion_tokens": 5, "total_tokens": 16}
            self.event(None, usage=counts)
        if finish:
            self.wfile.write(b"data: [DONE]\n\n")

    def event(self, choice: dict | None, **more: object) -> None:
        chunk = {"id": "1", "object": "chat.completion.chunk", "created": 1, "model": "m"}
        line = json.dumps(chunk | {"choices": [choice] if choice else []} | more)
        try:
            self.wfile.write(f"data: {line}\n\n".encode())
        except OSError:
            self.server.left.set()

    def log_message(self, *arguments: object) -> None:
        pass


@pytest.fixture
def serve() -> Iterator[Callable[..., tuple[OpenAIModel, ThreadingHTTPServer]]]:
    servers = []

    def start(*script: Answer, policy: ClientPolicy = QUICK) -> tuple[OpenAIModel, ThreadingHTTPServer]:
        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        server.script, server.requests, server.left = script, [], threading.Event()
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        servers.append(server)
        endpoint = Endpoint(
            base_url=f"http://127.0.0.1:{server.server_port}/v1",
            model="coder",
            api_key="secret-key",
            input_price=1.0,
            output_price=10.0,
        )
        return OpenAIModel(endpoint, policy), server

    yield start
    for server in servers:
        server.shutdown()
        server.server_close()


def never() -> bool:
    return False


def good(handler: Handler) -> None:
    handler.stream("Here ", "is ", "a circle.")


def test_it_streams_an_answer_with_its_usage_and_price(serve) -> None:
    model, server = serve(good)
    completion = model.complete(REQUEST, never)
    assert completion.text == "Here is a circle."
    assert completion.finish_reason is FinishReason.STOP
    assert (completion.usage.input_tokens, completion.usage.output_tokens) == (11, 5)
    assert completion.usage.cost == pytest.approx((11 * 1.0 + 5 * 10.0) / 1e6)
    assert completion.waited_s == 0
    body, headers = server.requests[0]
    assert (body["model"], body["temperature"], body["seed"], body["max_tokens"]) == ("coder", 0.0, 7, 50)
    assert headers["Authorization"] == "Bearer secret-key"


def test_it_tells_an_answer_that_was_cut_at_the_token_limit(serve) -> None:
    model, _ = serve(lambda handler: handler.stream("half a prog", finish="length"))
    assert model.complete(REQUEST, never).finish_reason is FinishReason.LENGTH


def test_a_server_without_usage_gets_an_estimate(serve) -> None:
    model, _ = serve(lambda handler: handler.stream("x" * 40, usage=False))
    assert model.complete(REQUEST, never).usage.output_tokens == 10


@pytest.mark.parametrize("status", [429, 500, 502, 503])
def test_it_tries_again_when_the_server_is_busy_or_fails(serve, status: int) -> None:
    model, server = serve(lambda handler: handler.plain(status, '{"error": {"message": "later"}}'), good)
    completion = model.complete(REQUEST, never)
    assert completion.text == "Here is a circle."
    assert len(server.requests) == 2
    assert completion.waited_s > 0


def test_it_waits_as_long_as_the_server_asks_up_to_its_own_limit(serve) -> None:
    busy = lambda handler: handler.plain(429, "{}", Retry_After="3600")  # noqa: E731
    model, server = serve(busy, good, policy=QUICK.model_copy(update={"longest_pause_s": 0.3}))
    assert 0.3 <= model.complete(REQUEST, never).waited_s < 1
    assert len(server.requests) == 2


def test_it_tries_again_when_the_connection_drops_in_the_middle(serve) -> None:
    def drop(handler: Handler) -> None:
        handler.stream("half", finish=None, usage=False)

    model, server = serve(drop, good)
    assert model.complete(REQUEST, never).text == "Here is a circle."
    assert len(server.requests) == 2


def test_it_gives_up_after_its_tries_with_one_sentence(serve) -> None:
    model, server = serve(lambda handler: handler.plain(500, "<html>boom</html>", kind="text/html"))
    with pytest.raises(ModelError, match=r"^The model server at .* failed \(HTTP 500\)\.$"):
        model.complete(REQUEST, never)
    assert len(server.requests) == QUICK.attempts


@pytest.mark.parametrize(
    ("status", "words"), [(401, "LLM_API_KEY"), (404, "does not know the model coder"), (400, "too long")]
)
def test_it_does_not_repeat_what_is_final(serve, status: int, words: str) -> None:
    model, server = serve(lambda handler: handler.plain(status, '{"error": {"message": "prompt too long"}}'))
    with pytest.raises(ModelError, match=words):
        model.complete(REQUEST, never)
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("kind", "body", "words"),
    [
        ("text/html", "<html><body>Welcome to nginx!</body></html>", r"\(text/html\); is the URL right\?"),
        ("application/json", '{"hello": "world"}', "did not answer as a model server"),
        ("text/event-stream", "data: {not json}\n\n", "does not speak the OpenAI protocol"),
        ("text/event-stream", "data: [1, 2]\n\n", "does not speak the OpenAI protocol"),
        ("text/event-stream", 'data: {"choices": 5}\n\n', "does not speak the OpenAI protocol"),
        ("text/event-stream", 'data: {"choices": [{"delta": {"content": ["a"]}}]}\n\n', "does not speak the OpenAI"),
        (
            "text/event-stream",
            'data: {"error": {"message": "out of\\nmemory \\u001b[31m"}}\n\n',
            "reported: out of memory$",
        ),
    ],
)
def test_a_server_that_speaks_something_else_is_said_to(serve, kind: str, body: str, words: str) -> None:
    model, server = serve(lambda handler: handler.plain(200, body, kind=kind))
    with pytest.raises(ModelError, match=words) as caught:
        model.complete(REQUEST, never)
    assert "\n" not in str(caught.value)
    assert len(server.requests) == 1


def test_a_silent_server_is_left_after_the_time_out(serve) -> None:
    policy = QUICK.model_copy(update={"silence_s": 0.3, "attempts": 2})
    model, server = serve(lambda handler: time.sleep(3), policy=policy)
    with pytest.raises(ModelError, match="did not answer in time"):
        model.complete(REQUEST, never)
    assert len(server.requests) == 2


def test_nobody_listening_is_one_sentence() -> None:
    model = OpenAIModel(Endpoint(base_url="http://127.0.0.1:9/v1", model="m"), QUICK)
    with pytest.raises(ModelError, match=r"cannot be reached\.$"):
        model.complete(REQUEST, never)


@pytest.mark.parametrize("pause_s", [0.2, 5.0])
def test_a_cancel_is_heard_in_the_middle_of_the_stream(serve, pause_s: float) -> None:
    model, server = serve(lambda handler: handler.stream(*["word "] * 50, pause_s=pause_s), policy=ClientPolicy())
    started = time.monotonic()
    with pytest.raises(Canceled):
        model.complete(REQUEST, lambda: time.monotonic() - started > 0.5)
    assert time.monotonic() - started < 2
    if pause_s < 1:
        assert server.left.wait(5), "the connection should be closed, so that the server stops writing"


def test_a_cancel_is_heard_between_two_tries(serve) -> None:
    policy = ClientPolicy(first_pause_s=20, longest_pause_s=20)
    model, _ = serve(lambda handler: handler.plain(503, "{}", Retry_After="20"), policy=policy)
    started = time.monotonic()
    with pytest.raises(Canceled):
        model.complete(REQUEST, lambda: time.monotonic() - started > 0.3)
    assert time.monotonic() - started < 2


def test_an_endless_answer_is_cut(serve) -> None:
    model, _ = serve(lambda handler: handler.stream(*["x" * 10_000] * 100))
    completion = model.complete(REQUEST, never)
    assert completion.finish_reason is FinishReason.LENGTH
    assert MAX_COMPLETION_CHARACTERS < len(completion.text) <= MAX_COMPLETION_CHARACTERS + 10_000


def endless(handler: Handler, piece: bytes, pause_s: float = 0) -> None:
    """Send one piece again and again until the client hangs up."""
    handler.send_response(200)
    handler.send_header("Content-Type", "text/event-stream")
    handler.end_headers()
    with suppress(OSError):
        while not handler.server.left.is_set():
            handler.wfile.write(piece)
            time.sleep(pause_s)


@pytest.mark.parametrize("piece", [b"x" * 100_000, b": keep-alive\n\n" * 1000])
def test_bytes_without_end_and_without_an_answer_are_cut(serve, monkeypatch, piece: bytes) -> None:
    monkeypatch.setattr(stream, "MAX_STREAM_BYTES", 4 << 20)
    model, server = serve(lambda handler: endless(handler, piece))
    with pytest.raises(ModelError, match="sent more than 4 MB for one answer"):
        model.complete(REQUEST, never)
    assert len(server.requests) == 1


def test_a_server_that_only_keeps_alive_is_left_at_the_limit_of_a_call(serve) -> None:
    policy = QUICK.model_copy(update={"call_s": 0.5})
    model, _ = serve(lambda handler: endless(handler, b": keep-alive\n\n", 0.1), policy=policy)
    with pytest.raises(ModelError, match="did not finish its answer within 0 s|within 1 s"):
        model.complete(REQUEST, never)


def test_a_silence_in_the_middle_of_an_answer_is_tried_again_and_then_named(serve) -> None:
    def silent(handler: Handler) -> None:
        handler.stream("half a prog", finish=None, usage=False)
        handler.wfile.flush()
        time.sleep(1)

    policy = QUICK.model_copy(update={"silence_s": 30, "pause_s": 0.2, "attempts": 2})
    model, server = serve(silent, policy=policy)
    with pytest.raises(ModelError, match="fell silent"):
        model.complete(REQUEST, never)
    assert len(server.requests) == 2


class TestRemoteEndpoint:
    def test_it_takes_the_first_model_that_the_server_lists(self, serve) -> None:
        _, server = serve(good)
        endpoint = remote_endpoint(f"http://127.0.0.1:{server.server_port}", None, None)
        assert endpoint.model == "first-model"
        assert endpoint.base_url.endswith("/v1")

    @pytest.mark.parametrize("url", ["http://me:secret@h/v1", "https://me@h/v1", "http://:secret@h:8000"])
    def test_a_password_does_not_belong_into_an_address_that_is_shown(self, url: str) -> None:
        with pytest.raises(CannotStart, match="LLM_API_KEY") as refused:
            remote_endpoint(url, "mine", None)
        assert "secret" not in str(refused.value)

    def test_the_name_that_was_set_wins(self) -> None:
        assert remote_endpoint("http://127.0.0.1:9/v1", "mine", None).model == "mine"

    def test_a_server_that_is_down_is_the_runs_affair(self) -> None:
        assert remote_endpoint("http://127.0.0.1:9/v1", None, None).model == ANY_MODEL
