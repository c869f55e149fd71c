"""A real Chromium before a real server, with a real worker behind it."""

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import throwaway
from django.conf import settings
from django.test import Client
from factories import EndpointFactory
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright
from pytest_django.live_server_helper import LiveServer

from agent.renderer.client import RendererClient
from webapp.core.models import User

FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
ROOT = Path(__file__).parents[2]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The server and the worker see only what is committed."""
    for item in items:
        if Path(item.path).is_relative_to(Path(__file__).parent):
            item.add_marker(pytest.mark.django_db(transaction=True))


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    """The browser of this test process."""
    path = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if path is None:
        sentence = "Chromium is not installed: apt-get install -y --no-install-recommends chromium"
        if os.environ.get("CI"):
            pytest.fail(sentence)
        pytest.skip(sentence)
    # Playwright's sync API keeps a loop running in this thread, which Django takes for an async context.
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "1"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture
def context(chromium: Browser, live_server: LiveServer) -> Iterator[BrowserContext]:
    """A browser that nobody is signed in to, on a desktop screen."""
    with chromium.new_context(
        base_url=live_server.url, viewport={"width": 1280, "height": 900}, reduced_motion="reduce"
    ) as context:
        context.set_default_timeout(20_000)
        yield context


@pytest.fixture
def page(context: BrowserContext) -> Iterator[Page]:
    """A tab; errors of scripts and refusals of the Content-Security-Policy fail the test."""
    page = context.new_page()
    faults: list[str] = []
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on("console", lambda line: faults.append(line.text) if "Content Security Policy" in line.text else None)
    yield page
    assert faults == []


@pytest.fixture
def signed_in(context: BrowserContext, live_server: LiveServer) -> Callable[[User], None]:
    """Sign somebody in without the form."""

    def sign_in(user: User) -> None:
        client = Client()
        client.force_login(user)
        cookie = client.cookies[settings.SESSION_COOKIE_NAME]
        context.add_cookies([{"name": cookie.key, "value": cookie.value, "url": live_server.url}])

    return sign_in


@contextmanager
def working(socket: Path) -> Iterator[None]:
    """A worker on the test database; it ends with the block."""
    here = throwaway.services()
    environment = os.environ | {
        "DATABASE_URL": here.postgres.url(str(settings.DATABASES["default"]["NAME"])),
        "RENDER_SOCKET": str(socket),
        "DJANGO_SETTINGS_MODULE": "webapp.settings",
    }
    log = here.folder / "work.log"
    with log.open("ab") as sink:
        command = [sys.executable, "manage.py", "work"]
        worker = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=sink)
    try:
        assert worker.stdout is not None
        assert worker.stdout.readline().strip() == b"READY", log.read_text()
        yield
    finally:
        worker.send_signal(signal.SIGTERM)
        worker.wait(20)


@pytest.fixture
def answers(tmp_path: Path, renderer: RendererClient) -> Iterator[Callable[..., None]]:
    """What the model will say, call after call; a worker is there as long as the test."""
    script = tmp_path / "script.json"

    def answer(*lines: object) -> None:
        script.write_text(json.dumps(lines), encoding="utf-8")
        EndpointFactory(script=str(script))

    with working(renderer.socket_path):
        yield answer
