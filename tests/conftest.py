"""What many tests need: the renderer, Postgres and Valkey, each started once for a test process; and the cast."""

from collections.abc import Iterator

import pytest
import throwaway
from factories import UserFactory

from agent.renderer.client import RendererClient, running_renderer
from webapp.core.models import User
from webapp.core.roles import Role


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


@pytest.fixture
def alice(db: None) -> User:
    """Asks for animations."""
    return UserFactory(username="alice", role=Role.EDUCATOR)


@pytest.fixture
def bob(db: None) -> User:
    """Annotates."""
    return UserFactory(username="bob", role=Role.ANNOTATOR)


@pytest.fixture
def carol(db: None) -> User:
    """Annotates too."""
    return UserFactory(username="carol", role=Role.ANNOTATOR)


@pytest.fixture
def dave(db: None) -> User:
    """Administers."""
    return UserFactory(username="dave", role=Role.ADMIN)


@pytest.fixture
def charlie(db: None) -> User:
    """Asks too, and may see nothing of alice's."""
    return UserFactory(username="charlie", role=Role.EDUCATOR)
