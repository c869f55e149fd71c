"""The port of the page: held by the supervisor from the first moment on, and asked until the web server answers."""

import contextlib
import errno
import os
import socket
import time

from embedded.child import EmbeddedError

POLL_S = 0.1


def listen_on(port: int, patience_s: float = 0.0, *, any_port: bool = False) -> socket.socket:
    """A listening socket on loopback; whoever connects early is answered as soon as the web server takes over.

    `patience_s` is for a web server that is still ending; `any_port` then takes a free one. Raises EmbeddedError with
    a sentence that names PORT.
    """
    deadline = time.monotonic() + patience_s
    while True:
        listener = socket.socket()
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind(("127.0.0.1", port))
            listener.listen(128)
            return listener
        except OSError as error:
            listener.close()
            if error.errno != errno.EADDRINUSE:
                raise EmbeddedError(
                    f"Port {port} cannot be used ({_reason(error)}); set PORT to another one."
                ) from error
            if any_port:
                return listen_on(0)
            if time.monotonic() >= deadline:
                raise EmbeddedError(
                    f"Port {port} is in use by another program; set PORT to a free one, e.g. PORT={port % 65535 + 1}."
                ) from error
        time.sleep(POLL_S)


def _reason(error: OSError) -> str:
    return os.strerror(error.errno) if error.errno else str(error)


class HealthProbe:
    """Asks GET /health without ever waiting: each call moves the question on a little."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._connection: socket.socket | None = None

    def __call__(self) -> bool:
        """Whether the web server has answered 200 since it was asked."""
        try:
            if self._connection is None:
                self._connection = self._ask()
            answer = self._connection.recv(64, socket.MSG_DONTWAIT)
        except BlockingIOError:
            return False
        except OSError:
            answer = b""
        self._forget()
        return answer.startswith((b"HTTP/1.1 200", b"HTTP/1.0 200"))

    def _forget(self) -> None:
        """Drop the question."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _ask(self) -> socket.socket:
        connection = socket.create_connection(("127.0.0.1", self._port), timeout=1)
        with contextlib.suppress(OSError):
            connection.sendall(b"GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")
        return connection
