"""One render server for a test process, and a way to render a text of code in it."""

import os
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from studio import Studio

from agent.errors import CannotStart
from agent.renderer.client import RendererClient, running_renderer


@pytest.fixture(scope="session")
def server() -> Iterator[RendererClient]:
    with running_renderer(slots=2) as client:
        yield client


@pytest.fixture
def studio(server: RendererClient, tmp_path: Path) -> Studio:
    return Studio(server, tmp_path)


@pytest.fixture(scope="session", params=["bwrap-root", "bwrap-user"])
def server_of_each_mode(request: pytest.FixtureRequest) -> Iterator[RendererClient]:
    if request.param == "bwrap-root" and os.geteuid() != 0:
        pytest.skip("bwrap-root needs root")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SANDBOX", request.param)
        patch.setenv("PROOFREEL_TEST_SECRET", "secret-in-the-environment")
        try:
            started = running_renderer(slots=1)
            client = started.__enter__()
        except CannotStart as error:
            pytest.skip(str(error))
    try:
        yield client
    finally:
        started.__exit__(None, None, None)


@pytest.fixture
def studio_of_each_mode(server_of_each_mode: RendererClient, tmp_path: Path) -> Studio:
    return Studio(server_of_each_mode, tmp_path)


@pytest.fixture
def construct() -> Callable[[str], str]:
    """Code of one scene with these lines in its construct; the first of them is line 4 of the file."""

    def wrap(lines: str) -> str:
        body = textwrap.indent(textwrap.dedent(lines).strip(), " " * 8)
        return f"from manim import *\nclass Demo(Scene):\n    def construct(self):\n{body}\n"

    return wrap
