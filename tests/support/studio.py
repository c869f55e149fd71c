"""Renders code for the tests of the renderer: what went in is a text, what came out is a result and a folder."""

import textwrap
from dataclasses import dataclass
from pathlib import Path

from agent.renderer.client import RendererClient
from agent.renderer.protocol import RenderLimits, RenderRequest
from agent.types import Quality, Render

QUICK = RenderLimits(wall_s=30)
STILL = "from manim import *\nclass Demo(Scene):\n    def construct(self):\n        self.add(Circle())\n"


@dataclass(frozen=True)
class Rendered:
    """What a render gave and left."""

    render: Render
    folder: Path

    @property
    def log(self) -> str:
        return (self.folder / "log.txt").read_text(encoding="utf-8")


class Studio:
    """Renders code through one server; every render gets a folder of its own."""

    def __init__(self, client: RendererClient, root: Path) -> None:
        self.client = client
        self.root = root
        self.count = 0

    def __call__(self, code: str, limits: RenderLimits = QUICK, **options: object) -> Rendered:
        self.count += 1
        folder = self.root / str(self.count)
        folder.mkdir(parents=True)
        options = {"quality": Quality.P480_15, "frames": 3} | options
        request = RenderRequest(code=textwrap.dedent(code), out_dir=str(folder), limits=limits, **options)
        return Rendered(self.client.render(request, lambda: False), folder)
