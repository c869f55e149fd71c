import http.client
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import psutil
import pytest

from agent.models.running import RunningServer, answers, read_state
from agent.models.server import KEY_VARIABLE

KEY = "a key for this test"


def start(*options: str, key: str = KEY) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "agent.models.server", *options],
        env={**os.environ, KEY_VARIABLE: key},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def ended(process: subprocess.Popen[str]) -> subprocess.Popen[str]:
    process.kill()
    process.communicate()
    return process


def ask(base_url: str, path: str, key: str, body: dict[str, Any] | None = None) -> tuple[int, Any]:
    address = urlsplit(base_url)
    connection = http.client.HTTPConnection(address.hostname, address.port, timeout=120)
    headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
    connection.request("POST" if body else "GET", address.path + path, json.dumps(body) if body else None, headers)
    response = connection.getresponse()
    return response.status, json.loads(response.read())


def chat(tokens: int) -> dict[str, Any]:
    message = {"role": "user", "content": "Count from one to two hundred in words."}
    return {"messages": [message], "max_tokens": tokens, "temperature": 0}


@pytest.fixture(scope="module")
def ready(weights_05b: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Any]]:
    """What a running server said of itself, and where it wrote that down."""
    state = tmp_path_factory.mktemp("state") / "server.json"
    process = start("--model", str(weights_05b), "--state", str(state), "--sha256", "f00")
    line = process.stdout.readline()
    assert line, process.stderr.read()
    yield {**json.loads(line), "state": state}
    ended(process)


@pytest.mark.model
def test_one_line_says_where_and_what(ready, weights_05b):
    assert ready["ready"] is True
    assert ready["base_url"].startswith("http://127.0.0.1:")
    assert ready["base_url"].endswith("/v1")
    assert ready["model"] == weights_05b.stem
    assert ready["sha256"] == "f00"


@pytest.mark.model
def test_it_answers_a_chat_with_the_key(ready):
    status, answer = ask(ready["base_url"], "/chat/completions", KEY, chat(8))
    assert status == 200
    assert answer["model"] == ready["model"]
    assert answer["choices"][0]["message"]["content"]
    assert answer["usage"]["completion_tokens"] == 8


@pytest.mark.model
@pytest.mark.parametrize("path", ["/chat/completions", "/completions", "/models"])
def test_it_refuses_whoever_lacks_the_key(ready, path):
    status, _ = ask(ready["base_url"], path, "another key", None if path == "/models" else chat(8))
    assert status == 401


@pytest.mark.model
def test_nobody_finds_the_key_in_the_list_of_processes(ready):
    assert KEY not in " ".join(psutil.Process(ready["pid"]).cmdline())


@pytest.mark.model
def test_it_listens_on_loopback_only(ready):
    listening = [c for c in psutil.Process(ready["pid"]).net_connections() if c.status == psutil.CONN_LISTEN]
    assert [connection.laddr.ip for connection in listening] == ["127.0.0.1"]


@pytest.mark.model
def test_what_is_written_down_is_enough_to_use_it_and_for_the_owner_only(ready):
    server = read_state(ready["state"])
    assert server is not None
    assert (server.pid, server.base_url, server.api_key) == (ready["pid"], ready["base_url"], KEY)
    assert answers(server)
    assert ready["state"].stat().st_mode & 0o777 == 0o600


@pytest.mark.model
def test_a_server_of_another_key_or_model_does_not_count_as_answering(ready):
    server = read_state(ready["state"])
    assert not answers(server.model_copy(update={"api_key": "another key"}))
    assert not answers(server.model_copy(update={"model": "another-model"}))


def test_nobody_at_the_port_does_not_count_as_answering():
    server = RunningServer(pid=1, base_url="http://127.0.0.1:9/v1", model="m", api_key="k", path="/m.gguf")
    assert not answers(server)


@pytest.mark.model
def test_a_proxy_in_the_environment_does_not_catch_loopback(ready, monkeypatch):
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    assert answers(read_state(ready["state"]))


@pytest.mark.model
def test_sigterm_ends_it_at_once_even_while_it_generates(weights_05b):
    process = start("--model", str(weights_05b))
    try:
        base_url = json.loads(process.stdout.readline())["base_url"]
        caller = threading.Thread(target=_ask_and_lose, args=(base_url,))
        caller.start()
        time.sleep(0.5)
        process.terminate()
        assert process.wait(timeout=2) == -signal.SIGTERM
        caller.join(timeout=10)
        assert not caller.is_alive()
    finally:
        ended(process)


def _ask_and_lose(base_url: str) -> None:
    with pytest.raises((http.client.HTTPException, OSError)):
        ask(base_url, "/chat/completions", KEY, chat(120))


STARTER = """
import os, subprocess, sys
command = [sys.executable, "-m", "agent.models.server", "--model", sys.argv[1], "--parent", str(os.getpid())]
child = subprocess.Popen(command, stdout=subprocess.PIPE)
sys.stdout.buffer.write(child.stdout.readline())
sys.stdout.flush()
child.wait()
"""


@pytest.mark.model
def test_it_ends_with_its_parent_even_when_that_is_killed(weights_05b):
    parent = subprocess.Popen(
        [sys.executable, "-c", STARTER, str(weights_05b)],
        env={**os.environ, KEY_VARIABLE: KEY},
        stdout=subprocess.PIPE,
        text=True,
    )
    server = psutil.Process(json.loads(parent.stdout.readline())["pid"])
    ended(parent)
    assert psutil.wait_procs([server], timeout=5)[1] == []


def test_a_parent_that_is_gone_already_means_not_to_start(tmp_path):
    process = start("--model", str(tmp_path / "none.gguf"), "--parent", str(os.getppid()))
    output, complaint = process.communicate(timeout=30)
    assert (process.returncode, output, complaint) == (0, "", "")


def test_without_a_key_it_does_not_serve(tmp_path):
    process = start("--model", str(tmp_path / "none.gguf"), key="")
    output, complaint = process.communicate(timeout=30)
    assert (process.returncode, output) == (2, "")
    assert KEY_VARIABLE in complaint


def test_a_broken_file_ends_it_with_a_reason_on_stderr(tmp_path):
    broken = tmp_path / "broken.gguf"
    broken.write_bytes(b"GGUF and nothing that follows")
    process = start("--model", str(broken))
    output, complaint = process.communicate(timeout=60)
    assert (process.returncode, output) == (3, "")
    assert "cannot be served" in complaint
    assert "Traceback" not in complaint


def test_importing_it_prints_nothing_and_does_not_load_the_library():
    program = "import sys, agent.models.server, agent.models.embedded; sys.exit('xllamacpp' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
