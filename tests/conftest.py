"""What many tests need and is started once for a test process: the renderer, Postgres and Valkey."""

from collections.abc import Iterator

import pytest
import throwaway

from agent.renderer.client import RendererClient, running_renderer


@pytest.fixture(scope="session")
def renderer() -> Iterator[RendererClient]:
    """A render server of this test process."""
    with running_renderer() as client:
        yield client


@pytest.fixture(scope="session")
def services() -> Iterator[throwaway.Throwaway]:
    """A running Postgres and Valkey of this process."""
    here = throwaway.services()
    here.start()
    yield here
    here.stop()


@pytest.fixture(scope="session")
def django_db_modify_db_settings(django_db_modify_db_settings_parallel_suffix: None, services: object) -> None:
    """pytest-django asks for this before it makes the test database."""
