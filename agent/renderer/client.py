"""How the rest of the product renders: a client for the render server, and a server of one's own to talk to."""

import os
import selectors
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from pydantic import ValidationError

import agent
from agent.child import end
from agent.errors import Canceled, CannotStart, InfrastructureError
from agent.renderer.place import remove
from agent.renderer.protocol import About, RenderAnswer, RenderRequest, about_file
from agent.types import Render

_POLL_S = 0.1
_ANSWER_CAP = 4 << 20
# The first start on a machine compiles Manim and everything that it imports.
_START_S = 300.0
_STOP_S = 15.0


class RendererClient:
    """Talks to a render server over its socket; every render is a connection of its own, from any thread."""

    def __init__(self, socket_path: Path) -> None:
        self.socket_path = socket_path

    def render(self, request: RenderRequest, should_stop: Callable[[], bool]) -> Render:
        """Render and wait for the result; faults of the code are in it, typed.

        Raises Canceled when `should_stop` (asked every 0.1 s) says so, InfrastructureError when the server is gone.
        """
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
            try:
                connection.connect(str(self.socket_path))
                connection.sendall(request.model_dump_json().encode() + b"\n")
                answer = _read_answer(connection, should_stop)
            except OSError as error:
                raise InfrastructureError(f"The renderer is not running ({error.strerror or error}).") from error
        try:
            return RenderAnswer.model_validate_json(answer).render
        except ValidationError as error:
            raise InfrastructureError("The renderer gave an answer that cannot be read.") from error

    def check(self) -> None:
        """Raise InfrastructureError unless a server takes connections: before work is spent that needs it."""
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
            try:
                connection.connect(str(self.socket_path))
            except OSError as error:
                raise InfrastructureError(f"The renderer is not running ({error.strerror or error}).") from error

    def about(self) -> About | None:
        """What the server says of itself; None when nothing readable stands there."""
        try:
            return About.model_validate_json(about_file(self.socket_path).read_bytes())
        except (OSError, ValidationError):
            return None


@contextmanager
def running_renderer(slots: int | None = None) -> Iterator[RendererClient]:
    """A render server of one's own for the duration of the block, which must stay in the thread that entered it.

    Raises CannotStart with the server's own sentence when it does not come up.
    """
    folder = Path(tempfile.mkdtemp(prefix="proofreel-"))
    try:
        with tempfile.TemporaryFile() as log:
            process = subprocess.Popen(
                _command(folder / "render.sock", slots),
                env=os.environ | {"PYTHONPATH": str(Path(agent.__file__).parents[1])},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=log,
                start_new_session=True,
            )
            try:
                _wait_until_ready(process, log)
                yield RendererClient(folder / "render.sock")
            finally:
                end(process, _STOP_S)
                if process.stdout is not None:
                    process.stdout.close()
    finally:
        if folder.exists():
            remove(folder)


def _command(socket_path: Path, slots: int | None) -> list[str]:
    chosen = [] if slots is None else ["--slots", str(slots)]
    command = [sys.executable, "-m", "agent.renderer.serve", "--socket", str(socket_path)]
    return [*command, "--die-with-parent", str(os.getpid()), *chosen]


def _read_answer(connection: socket.socket, should_stop: Callable[[], bool]) -> bytes:
    connection.settimeout(_POLL_S)
    received = b""
    while not received.endswith(b"\n"):
        if should_stop():
            raise Canceled("The render was canceled.")
        try:
            part = connection.recv(1 << 16)
        except TimeoutError:
            continue
        if not part:
            raise InfrastructureError("The renderer stopped before it had an answer.")
        received += part
        if len(received) > _ANSWER_CAP:
            raise InfrastructureError("The renderer gave an answer that is too long.")
    return received


def _wait_until_ready(process: "subprocess.Popen[bytes]", log: IO[bytes]) -> None:
    """Until the server says that it listens. Raises CannotStart with its own last sentence."""
    if process.stdout is None:
        raise CannotStart("The renderer was started without a pipe.")
    line = b""
    deadline = time.monotonic() + _START_S
    with selectors.DefaultSelector() as selector:
        selector.register(process.stdout, selectors.EVENT_READ)
        while not line.endswith(b"\n") and selector.select(max(0.0, deadline - time.monotonic())):
            part = os.read(process.stdout.fileno(), 1 << 10)
            if not part:
                break
            line += part
    if line.startswith(b"READY"):
        return
    log.seek(0)
    said = log.read().decode(errors="replace").strip().splitlines()
    raise CannotStart(said[-1] if said else f"The renderer did not start within {_START_S:g} s.")
