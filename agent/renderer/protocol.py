"""What goes over the render socket: one JSON line of request, one JSON line of answer, then the connection closes.

Closing the connection early cancels the render.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from agent.types import Quality, Record, Render


class RenderLimits(Record):
    """What one render may use. Beyond any of them the whole process tree is ended."""

    wall_s: float = 120.0
    memory_bytes: int = 2 << 30
    disk_bytes: int = 300 << 20
    output_bytes: int = 1 << 20
    processes: int = 64


class RenderRequest(Record):
    """One code text to render. Files are left in `out_dir` (absolute, owned by the caller) under names of ours."""

    code: str
    out_dir: str
    quality: Quality = Quality.P480_15
    frames: int = 8
    seed: int = 0
    limits: RenderLimits = RenderLimits()


class RenderAnswer(Record):
    """The typed result; the paths in it are relative to `out_dir`."""

    render: Render


class About(Record):
    """What a render server says of itself in `about.json` beside its socket."""

    sandbox_mode: str
    tex_backend: str
    pid: int


def about_file(socket_path: Path) -> Path:
    """Where the server at that socket has written its About."""
    return socket_path.with_name("about.json")


class Renderer(Protocol):
    """Whatever turns a request into a Render: the client of the render service."""

    def render(self, request: RenderRequest, should_stop: Callable[[], bool]) -> Render:
        """Raises `Canceled` when should_stop says so, `InfrastructureError` when the service is gone."""
        ...
