"""The model a Run talks to: the endpoint that was set, or the embedded server, started if none is running."""

import os
import secrets
import selectors
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO, cast

import agent
from agent.child import end
from agent.config import Settings
from agent.errors import CannotStart, InfrastructureError
from agent.models.endpoint import Endpoint
from agent.models.locate import Weights, locate
from agent.models.running import RunningServer, answers, read_state, run_folder, state_file
from agent.models.server import KEY_VARIABLE
from agent.models.weights import Report

LOAD_S = 180.0
STOP_S = 5.0


@contextmanager
def running_model(settings: Settings, report: Report, stage: Callable[[str], None]) -> Iterator[Endpoint]:
    """The Endpoint of the embedded model, for as long as the block lasts.

    A server that is written down as running, with the same weights, is used and left alone; else one is started for
    this block only and stopped at its end. It ends with the *thread* that started it, so enter from the main thread.
    `report` hears the fetching of weights, `stage` one sentence a step. Raises CannotStart.
    """
    weights = locate(settings, report)
    if weights.note:
        stage(weights.note)
    with ExitStack() as started:
        try:
            server = _running(settings.cache, weights)
            if server is None:
                stage(f"Loading the model {weights.name}.")
                server = started.enter_context(_started(settings.cache, weights))
        except OSError as error:
            raise CannotStart(f"The model server cannot be started: {error.strerror}.") from error
        yield _endpoint(server)


def kept_model(settings: Settings) -> Endpoint:
    """The Endpoint of the model server that someone else keeps running here, whatever weights it serves.

    Raises InfrastructureError when there is none, or when it does not answer.
    """
    try:
        server = read_state(state_file(settings.cache))
    except OSError as error:
        raise InfrastructureError(f"The model server's state cannot be read: {error.strerror}.") from error
    if server is None or not answers(server):
        raise InfrastructureError("The embedded model is not running.")
    return _endpoint(server)


def _endpoint(server: RunningServer) -> Endpoint:
    return Endpoint(
        base_url=server.base_url,
        model=server.model,
        api_key=server.api_key,
        embedded=True,
        sha256=server.sha256,
    )


def _running(cache: Path, weights: Weights) -> RunningServer | None:
    """The server that is written down, if it serves these weights and answers; else it is as good as none."""
    server = read_state(state_file(cache))
    if server is None or server.path != str(weights.path) or server.sha256 != weights.sha256:
        return None
    return server if answers(server) else None


@contextmanager
def _started(cache: Path, weights: Weights) -> Iterator[RunningServer]:
    """A server of our own, written down beside the shared one: whoever else used it would lose it when we end.

    Raises CannotStart, OSError.
    """
    name = f"model-server-{os.getpid()}"
    state, log = run_folder(cache) / f"{name}.json", run_folder(cache) / f"{name}.log"
    command = [sys.executable, "-m", "agent.models.server", "--model", str(weights.path), "--alias", weights.name]
    command += ["--sha256", weights.sha256, "--state", str(state), "--parent", str(os.getpid())]
    with log.open("wb") as sink:
        process = subprocess.Popen(
            command,
            # Found by path, not by changing folder: relative paths in the settings mean what they mean to us.
            env=os.environ
            | {"PYTHONPATH": str(Path(agent.__file__).parents[1]), KEY_VARIABLE: secrets.token_urlsafe(32)},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=sink,
            start_new_session=True,  # Ctrl-C is for us: we stop the server when we are done
        )
    try:
        _wait_until_ready(process, log)
        server = read_state(state)
        if server is None or server.pid != process.pid:
            raise CannotStart(f"The model server left no word of itself in {state}.")
        yield server
    finally:
        end(process, STOP_S)
        state.unlink(missing_ok=True)
    log.unlink(missing_ok=True)  # kept when the block failed: the sentence names it


def _wait_until_ready(process: subprocess.Popen[bytes], log: Path) -> None:
    """Wait for the one line on stdout. Raises CannotStart when the server ends or is silent for too long."""
    with selectors.DefaultSelector() as selector, cast(IO[bytes], process.stdout) as stdout:
        selector.register(stdout, selectors.EVENT_READ)
        if not selector.select(LOAD_S):
            raise CannotStart(f"The model was not loaded within {LOAD_S:.0f} s; see {log}.")
        if stdout.readline():
            return
    lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
    reason = next((line for line in lines if "error" in line.lower()), lines[-1] if lines else "it said nothing")
    raise CannotStart(f"The model server did not start ({reason[:300]}); see {log}.")
