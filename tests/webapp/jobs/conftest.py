"""A queue, a place to work at and real workers, each empty at the start of a test."""

from collections.abc import Callable
from pathlib import Path

import pytest
from pytest_django import Settings as DjangoSettings
from rq import Queue
from throwaway import Throwaway
from workshop import Workers, script

from agent.config import Settings
from agent.renderer.client import RendererClient
from webapp.endpoints.models import Endpoint
from webapp.jobs.queue import work_queue
from webapp.jobs.workplace import Workplace


@pytest.fixture
def queue(services: Throwaway) -> Queue:
    """The queue, in an empty Valkey."""
    here = work_queue()
    here.connection.flushdb()
    return here


@pytest.fixture
def data(tmp_path: Path, settings: DjangoSettings) -> Path:
    """The folder for files of this test and of its children."""
    settings.MEDIA_ROOT = tmp_path / "data" / "media"
    return tmp_path / "data"


@pytest.fixture
def workplace(renderer: RendererClient, data: Path, tmp_path: Path) -> Workplace:
    """A place to carry out Runs in this process."""
    return Workplace(renderer, Settings(PROOFREEL_CACHE=tmp_path / "cache"), None, data / "work", name="here")


@pytest.fixture
def workers(renderer: RendererClient, data: Path, queue: Queue, transactional_db: None) -> Workers:
    """Real workers beside this process."""
    return Workers(renderer, data)


@pytest.fixture
def answers(tmp_path: Path, db: None) -> Callable[..., Endpoint]:
    """Sets what the model answers."""

    def answer_with(*lines: object) -> Endpoint:
        return script(tmp_path, *lines)

    return answer_with
