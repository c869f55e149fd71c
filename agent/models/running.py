"""A model server that runs on this machine: what is written down about it, and whether it is still what it was."""

import http.client
import json
from pathlib import Path
from urllib.parse import urlsplit

from pydantic import ValidationError

from agent.types import Record

PROBE_S = 2.0


class RunningServer(Record):
    """What another process needs to use the server. Holds its key: the file is for its owner's eyes only."""

    pid: int
    base_url: str
    model: str
    api_key: str
    path: str
    sha256: str | None = None


def run_folder(cache: Path) -> Path:
    """The folder for what lives as long as a process, readable by its owner only. Raises OSError."""
    folder = cache / "run"
    folder.mkdir(parents=True, exist_ok=True)
    folder.chmod(0o700)
    return folder


def state_file(cache: Path) -> Path:
    """Where a model server that outlives its users is written down by whoever keeps it running. Raises OSError."""
    return run_folder(cache) / "model-server.json"


def write_state(file: Path, server: RunningServer) -> None:
    """Write it down at once or not at all, readable by its owner only. Raises OSError."""
    fresh = file.with_name(f"{file.name}.{server.pid}")
    fresh.touch(mode=0o600)
    fresh.write_text(server.model_dump_json(), encoding="utf-8")
    fresh.replace(file)


def read_state(file: Path) -> RunningServer | None:
    """What is written down, if anything readable is."""
    try:
        return RunningServer.model_validate_json(file.read_bytes())
    except (OSError, ValidationError):
        return None


def answers(server: RunningServer) -> bool:
    """Whether that server is alive, takes its key and serves its model."""
    if not is_healthy(server.base_url):
        return False
    status, body = _get(server.base_url, "/v1/models", server.api_key)
    if status != http.client.OK:
        return False
    try:
        return server.model in [model["id"] for model in json.loads(body)["data"]]
    except (ValueError, KeyError, TypeError):
        return False


def is_healthy(url: str) -> bool:
    """Whether the server at that loopback URL has loaded its model."""
    return _get(url, "/health")[0] == http.client.OK


def _get(url: str, path: str, key: str = "") -> tuple[int, bytes]:
    """Status and body; status 0 when nobody answers. Straight to loopback: a proxy setting must not catch it."""
    address = urlsplit(url)
    connection = http.client.HTTPConnection(address.hostname or "", address.port, timeout=PROBE_S)
    try:
        connection.request("GET", path, headers={"Authorization": f"Bearer {key}"} if key else {})
        response = connection.getresponse()
        return response.status, response.read()
    except (OSError, http.client.HTTPException):
        return 0, b""
    finally:
        connection.close()
