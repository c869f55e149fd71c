"""The server and its client: cancelling, several at a time, faults of ours, and the end of either."""

import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest
from studio import QUICK, STILL, Studio

import agent
from agent.errors import Canceled, CannotStart, InfrastructureError
from agent.renderer.client import RendererClient, running_renderer
from agent.renderer.protocol import RenderAnswer, RenderRequest
from agent.types import ErrorKind

Construct = Callable[[str], str]
FOREVER = STILL + "while True: pass\n"


def server_process(client: RendererClient) -> psutil.Process:
    def serves(process: psutil.Process) -> bool:
        return str(client.socket_path) in process.cmdline()

    return next(process for process in psutil.Process().children() if serves(process))


def sandboxes(client: RendererClient) -> list[psutil.Process]:
    return server_process(client).children(recursive=True)


def eventually(condition: Callable[[], bool], within_s: float = 5) -> None:
    deadline = time.monotonic() + within_s
    while not condition():
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.05)


def start(client: RendererClient, folder: Path, code: str, outcome: list[object]) -> threading.Event:
    """Render in a thread; setting the event cancels. What it returned or raised is appended to `outcome`."""
    stop = threading.Event()

    def work() -> None:
        try:
            request = RenderRequest(code=code, out_dir=str(folder), limits=QUICK)
            outcome.append(client.render(request, stop.is_set))
        except (Canceled, InfrastructureError) as error:
            outcome.append(error)

    threading.Thread(target=work, daemon=True).start()
    return stop


def test_a_client_that_hangs_up_ends_its_render_within_a_second(server: RendererClient, tmp_path: Path) -> None:
    outcome: list[object] = []
    stop = start(server, tmp_path, FOREVER, outcome)
    eventually(lambda: len(sandboxes(server)) >= 2)
    stop.set()
    eventually(lambda: bool(outcome) and sandboxes(server) == [], within_s=1.5)
    assert isinstance(outcome[0], Canceled)
    eventually(lambda: list((server.socket_path.parent / "renders").glob("render-*")) == [])


def test_a_render_that_waits_for_a_slot_can_be_canceled(server: RendererClient, tmp_path: Path) -> None:
    outcomes: list[list[object]] = [[], [], []]
    stops = [start(server, tmp_path, FOREVER, outcome) for outcome in outcomes]
    time.sleep(0.5)
    for stop in stops:
        stop.set()
    eventually(lambda: all(isinstance(outcome[0], Canceled) if outcome else False for outcome in outcomes))
    eventually(lambda: sandboxes(server) == [])


def test_two_render_at_the_same_time(server: RendererClient, tmp_path: Path) -> None:
    outcomes: list[list[object]] = [[], []]
    for index, outcome in enumerate(outcomes):
        (tmp_path / str(index)).mkdir()
        start(server, tmp_path / str(index), STILL, outcome)
    eventually(lambda: len(server_process(server).children()) == 2)
    eventually(lambda: all(outcomes), within_s=30)
    assert all(outcome[0].ok for outcome in outcomes)


def test_a_folder_that_cannot_be_written_is_a_fault_of_ours_and_the_server_lives(
    server: RendererClient, studio: Studio
) -> None:
    request = RenderRequest(code=STILL, out_dir="/nonexistent/folder", limits=QUICK)
    failed = server.render(request, lambda: False)
    assert failed.error_kind is ErrorKind.INFRASTRUCTURE and "/nonexistent/folder" in failed.message
    assert studio(STILL).render.ok


def test_a_request_that_is_not_one_is_answered(server: RendererClient) -> None:
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(str(server.socket_path))
        connection.sendall(b'{"code": 1}\n')
        answer = RenderAnswer.model_validate_json(connection.makefile().readline())
    assert answer.render.error_kind is ErrorKind.INFRASTRUCTURE


def test_a_server_that_is_killed_is_an_infrastructure_error_and_takes_its_sandboxes_along(tmp_path: Path) -> None:
    with running_renderer(slots=1) as client:
        outcome: list[object] = []
        start(client, tmp_path, FOREVER, outcome)
        eventually(lambda: len(sandboxes(client)) >= 2)
        children = sandboxes(client)
        server_process(client).kill()
        eventually(lambda: bool(outcome))
        assert isinstance(outcome[0], InfrastructureError)
        eventually(lambda: not any(child.is_running() and child.status() != "zombie" for child in children))
        with pytest.raises(InfrastructureError, match="not running"):
            client.render(RenderRequest(code=STILL, out_dir=str(tmp_path)), lambda: False)
    assert not client.socket_path.parent.exists()


def test_a_server_that_is_stopped_ends_its_renders_and_leaves_nothing(tmp_path: Path) -> None:
    with running_renderer(slots=1) as client:
        outcome: list[object] = []
        start(client, tmp_path, FOREVER, outcome)
        eventually(lambda: len(sandboxes(client)) >= 2)
        children = sandboxes(client)
        process = server_process(client)
        process.send_signal(signal.SIGTERM)
        eventually(lambda: process.status() == "zombie")
        assert list(client.socket_path.parent.glob("r*")) == []
        assert isinstance(outcome[0], InfrastructureError)
        assert not any(child.is_running() and child.status() != "zombie" for child in children)


def test_a_server_ends_with_the_process_that_started_it(tmp_path: Path) -> None:
    code = (
        "import sys, time\nfrom agent.renderer.client import running_renderer\n"
        "with running_renderer(slots=1) as client:\n    print(client.socket_path, flush=True)\n    time.sleep(100)\n"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as parent:
        path = parent.stdout.readline().strip()
        serving = next(p for p in psutil.Process(parent.pid).children() if path in p.cmdline())
        parent.kill()
    eventually(lambda: not serving.is_running() or serving.status() == "zombie")
    eventually(lambda: not Path(path).parent.exists())


def test_a_server_says_what_it_is_and_a_client_whether_it_is_there(server: RendererClient, tmp_path: Path) -> None:
    about = server.about()
    assert about is not None
    assert about.sandbox_mode in ("bwrap-root", "bwrap-user")
    assert about.tex_backend == "mathjax"
    assert about.pid == server_process(server).pid
    server.check()
    nobody = RendererClient(tmp_path / "nobody.sock")
    assert nobody.about() is None
    with pytest.raises(InfrastructureError, match="The renderer is not running"):
        nobody.check()


def test_an_unknown_sandbox_mode_cannot_start(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SANDBOX", "none")
    with (
        pytest.raises(
            CannotStart,
            match="The setting SANDBOX is 'none', but: Input should be 'auto', 'bwrap-root' or 'bwrap-user'",
        ),
        running_renderer(),
    ):
        pass


def test_a_socket_in_a_folder_that_others_may_enter_is_refused(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    done = subprocess.run(
        [sys.executable, "-m", "agent.renderer.serve", "--socket", str(tmp_path / "s")],
        capture_output=True,
        check=False,
        text=True,
        env=os.environ | {"PYTHONPATH": str(Path(__file__).resolve().parents[3])},
    )
    assert done.returncode == 3 and "must have mode 0700" in done.stderr and done.stdout == ""


@pytest.mark.parametrize("moment_s", [0.4, 1.2])
def test_a_server_that_loses_its_parent_while_it_starts_leaves_nothing(tmp_path: Path, moment_s: float) -> None:
    program = (
        "import subprocess, sys, time; from agent.renderer.client import running_renderer\n"
        "with running_renderer(): time.sleep(60)"
    )
    environment = os.environ | {"TMPDIR": str(tmp_path), "PYTHONPATH": str(Path(agent.__file__).parents[1])}
    parent = subprocess.Popen([sys.executable, "-c", program], env=environment, stderr=subprocess.DEVNULL)
    eventually(lambda: any(tmp_path.glob("proofreel-*")), within_s=20)
    time.sleep(moment_s)
    parent.kill()
    parent.wait()
    eventually(lambda: not any(tmp_path.iterdir()), within_s=20)
