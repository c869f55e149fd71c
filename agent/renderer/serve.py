"""The render server: `python -m agent.renderer.serve --socket PATH [--slots N] [--die-with-parent PID]`.

One JSON line in, one JSON line out per connection; a client that hangs up cancels its render. Prints `READY` and the
sandbox mode once it listens. SIGTERM ends every sandbox, then the server.
"""

import argparse
import contextlib
import logging
import os
import queue
import signal
import socket
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from types import FrameType

from pydantic import ValidationError

from agent.child import end_with_parent
from agent.config import read_settings
from agent.errors import Canceled, CannotStart, ProofreelError
from agent.renderer import bytecode, sandbox
from agent.renderer.place import Ground, remove
from agent.renderer.protocol import About, RenderAnswer, RenderRequest, about_file
from agent.renderer.rendering import render
from agent.types import ErrorKind, Render

READY = "READY"
CANNOT_START = 3
MAX_SLOTS = 32
TEX_BACKEND = "mathjax"
_REQUEST_CAP = 4 << 20
_EXCHANGE_S = 10.0
_POLL_S = 0.1

log = logging.getLogger(__name__)


class Server:
    """Answers each connection in a thread of its own; at most `slots` of them render at a time."""

    def __init__(self, ground: Ground, slots: int) -> None:
        self.ground = ground
        self.stopping = threading.Event()
        # Each slot has a uid of its own; a sandbox never shares it with another one that is running.
        self.free: queue.SimpleQueue[int] = queue.SimpleQueue()
        for slot in range(slots):
            self.free.put(sandbox.own_uid(slot))

    def accept_until_stopped(self, listener: socket.socket) -> None:
        """Serve until `stopping` is set, then wait for the renders that it has cancelled."""
        listener.settimeout(_POLL_S)
        threads: list[threading.Thread] = []
        while not self.stopping.is_set():
            try:
                connection, _ = listener.accept()
            except TimeoutError:
                continue
            thread = threading.Thread(target=self._answer, args=(connection,))
            thread.start()
            threads = [other for other in threads if other.is_alive()] + [thread]
        for thread in threads:
            thread.join()

    def _answer(self, connection: socket.socket) -> None:
        with connection:
            try:
                result = self._render(connection)
            except Canceled:
                return
            except ProofreelError as error:
                result = _our_fault(str(error))
            except Exception as error:
                log.exception("a render failed through a fault of ours")
                result = _our_fault(f"The renderer failed: {type(error).__name__}: {error}")
            try:
                connection.settimeout(_EXCHANGE_S)
                connection.sendall(RenderAnswer(render=result).model_dump_json().encode() + b"\n")
            except OSError:
                log.info("a client left before its answer")

    def _render(self, connection: socket.socket) -> Render:
        connection.settimeout(_EXCHANGE_S)
        request = _read_request(connection)
        connection.settimeout(None)

        def should_stop() -> bool:
            return self.stopping.is_set() or _has_left(connection)

        uid = self._take_slot(should_stop)
        try:
            return render(request, self.ground, uid, should_stop)
        finally:
            self.free.put(uid)

    def _take_slot(self, should_stop: Callable[[], bool]) -> int:
        while not should_stop():
            try:
                return self.free.get(timeout=_POLL_S)
            except queue.Empty:
                continue
        raise Canceled("The render was canceled.")


def main(arguments: list[str] | None = None) -> int:
    """Run the server in the foreground; the exit code is 0 after SIGTERM and 3 when it cannot start."""
    options = _options(arguments)
    logging.basicConfig(level=logging.WARNING, format="%(asctime)s %(levelname)s %(name)s %(message)s")
    if options.die_with_parent:
        end_with_parent(options.die_with_parent, signal.SIGTERM)
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, _leave)  # from the first moment on, so that nothing is left behind
    path = options.socket.absolute()
    jobs = path.parent / "renders"
    try:
        _make_private(path.parent)
        _serve(path, jobs, options.slots)
    except CannotStart as error:
        sys.stderr.write(f"{error}\n")
        return CANNOT_START
    finally:
        path.unlink(missing_ok=True)
        about_file(path).unlink(missing_ok=True)
        remove(jobs)
        if options.die_with_parent:
            # A parent that was killed can no longer remove the folder that it made for the socket.
            with contextlib.suppress(OSError):
                path.parent.rmdir()
    return 0


def _leave(_signal: int, _frame: FrameType | None) -> None:
    raise SystemExit(0)


def _serve(path: Path, jobs: Path, slots: int) -> None:
    jobs.mkdir(mode=0o700, exist_ok=True)
    settings = read_settings()
    compiled = bytecode.prepare(settings.cache)
    probe = jobs / "probe"
    probe.mkdir(exist_ok=True)
    mode = sandbox.choose(settings.sandbox, compiled, probe)
    server = Server(Ground(mode=mode, bytecode=compiled, folder=jobs), slots)

    def stop(_signal: int, _frame: FrameType | None) -> None:
        server.stopping.set()

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, stop)
    path.unlink(missing_ok=True)
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listener:
        listener.bind(str(path))
        listener.listen()
        about = About(sandbox_mode=mode, tex_backend=TEX_BACKEND, pid=os.getpid())
        about_file(path).write_text(about.model_dump_json() + "\n", encoding="utf-8")
        sys.stdout.write(f"{READY} {mode}\n")
        sys.stdout.flush()
        server.accept_until_stopped(listener)


def _options(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m agent.renderer.serve", description="Render Manim code, sandboxed.")
    parser.add_argument("--socket", type=Path, required=True, help="unix socket to listen on, in a folder of mode 0700")
    parser.add_argument(
        "--slots", type=_slots, default=_default_slots(), help="renders at a time (default: %(default)s)"
    )
    parser.add_argument("--die-with-parent", type=int, metavar="PID", help="stop when that process, the starter, ends")
    return parser.parse_args(arguments)


def _slots(text: str) -> int:
    slots = int(text)
    if not 1 <= slots <= MAX_SLOTS:
        raise argparse.ArgumentTypeError(f"must be from 1 to {MAX_SLOTS}")
    return slots


def _default_slots() -> int:
    # One render uses about one and a half cores: it draws while its last animation is encoded.
    return min(MAX_SLOTS, max(1, (os.cpu_count() or 1) // 2))


def _make_private(folder: Path) -> None:
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    if folder.stat().st_mode & 0o077:
        raise CannotStart(f"{folder} may be entered by others; the socket's folder must have mode 0700.")


def _read_request(connection: socket.socket) -> RenderRequest:
    received = b""
    while not received.endswith(b"\n"):
        part = connection.recv(1 << 16)
        if not part:
            raise Canceled("The client left before its request was complete.")
        received += part
        if len(received) > _REQUEST_CAP:
            raise ProofreelError(f"The request is longer than {_REQUEST_CAP >> 20} MB.")
    try:
        return RenderRequest.model_validate_json(received)
    except ValidationError as error:
        raise ProofreelError(f"The request is not one of ours: {error.errors()[0]['msg']}") from error


def _has_left(connection: socket.socket) -> bool:
    try:
        return connection.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT) == b""
    except BlockingIOError:
        return False
    except OSError:
        return True


def _our_fault(message: str) -> Render:
    return Render(ok=False, error_kind=ErrorKind.INFRASTRUCTURE, message=message)


if __name__ == "__main__":
    raise SystemExit(main())
