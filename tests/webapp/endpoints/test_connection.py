"""From an Endpoint to a model that answers."""

import http.server
import json
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from agent.config import Settings
from agent.errors import CannotStart, InfrastructureError
from agent.models.cores import Cores, FreeCores
from agent.models.model import CompletionRequest
from agent.models.running import RunningServer, state_file, write_state
from webapp.endpoints.connection import connected
from webapp.endpoints.models import Endpoint


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """The agent's settings, with a cache of this test."""
    return Settings(PROOFREEL_CACHE=tmp_path / "cache")


class ModelServer(http.server.BaseHTTPRequestHandler):
    """Lists one model to whoever has the key, as the embedded server does."""

    def do_GET(self) -> None:
        allowed = self.path == "/health" or self.headers.get("Authorization") == "Bearer key"
        self.send_response(200 if allowed else 401)
        self.send_header("Content-Type", "application/json")
        self.end_headers()
        self.wfile.write(json.dumps({"object": "list", "data": [{"id": "coder", "object": "model"}]}).encode())

    def log_message(self, *_: object) -> None:
        """Nothing on stderr."""


@pytest.fixture
def server() -> Iterator[str]:
    """The URL of a model server on loopback."""
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), ModelServer) as listening:
        thread = threading.Thread(target=listening.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{listening.server_port}/v1"
        listening.shutdown()
        thread.join()


def test_a_script_goes_on_where_the_run_stands(settings: Settings, tmp_path: Path) -> None:
    script = tmp_path / "answers.json"
    script.write_text(json.dumps(["first", "second", "third"]))
    connection = connected(Endpoint(kind="scripted", script=str(script)), settings, calls_made=2)
    request = CompletionRequest(messages=(), max_tokens=10)
    assert connection.model.complete(request, lambda: False).text == "third"
    assert isinstance(connection.processor, FreeCores)


def test_a_script_that_is_gone_can_never_answer(settings: Settings, tmp_path: Path) -> None:
    with pytest.raises(CannotStart, match="cannot be read"):
        connected(Endpoint(kind="scripted", script=str(tmp_path / "gone.json")), settings, 0)


def test_the_embedded_model_is_found_where_it_runs_now_and_shares_the_cores(settings: Settings, server: str) -> None:
    running = RunningServer(pid=1, base_url=server, model="coder", api_key="key", path="/weights.gguf", sha256="abc")
    write_state(state_file(settings.cache), running)
    connection = connected(Endpoint(kind="embedded"), settings, 0)
    assert connection.model.name == "coder"
    assert isinstance(connection.processor, Cores)


@pytest.mark.parametrize(("url", "key"), [("http://127.0.0.1:9/v1", "key"), (None, "of an earlier start")])
def test_an_embedded_model_that_does_not_answer_is_not_running(
    settings: Settings, server: str, url: str | None, key: str
) -> None:
    written = RunningServer(pid=1, base_url=url or server, model="coder", api_key=key, path="/w", sha256="a")
    write_state(state_file(settings.cache), written)
    with pytest.raises(InfrastructureError, match=r"^The embedded model is not running\.$"):
        connected(Endpoint(kind="embedded"), settings, 0)


def test_without_a_state_file_the_embedded_model_is_not_running(settings: Settings) -> None:
    with pytest.raises(InfrastructureError, match=r"^The embedded model is not running\.$"):
        connected(Endpoint(kind="embedded"), settings, 0)


def test_a_remote_server_without_a_model_name_is_asked_for_one_with_the_key_of_the_environment(
    settings: Settings, server: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LLM_API_KEY", "key")
    endpoint = Endpoint(kind="remote", base_url=server, key_setting="LLM_API_KEY", output_price=2.0)
    connection = connected(endpoint, settings, 0)
    assert connection.model.name == "coder"
    assert isinstance(connection.processor, FreeCores)


def test_what_is_no_url_can_never_answer(settings: Settings) -> None:
    with pytest.raises(CannotStart, match="is not the URL of a model server"):
        connected(Endpoint(kind="remote", base_url="gpu:8000"), settings, 0)
