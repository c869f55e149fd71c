"""The cast of the web app's tests, and browsers that are signed in as one of them."""

import pytest
from django.test import Client
from factories import EndpointFactory, UserFactory

from webapp.core.models import User
from webapp.core.roles import Role
from webapp.endpoints.models import Endpoint


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


@pytest.fixture
def endpoint(db: None) -> Endpoint:
    """The default Endpoint."""
    return EndpointFactory()


def as_user(user: User | None) -> Client:
    """A browser, signed in as that person."""
    client = Client()
    if user is not None:
        client.force_login(user)
    return client


@pytest.fixture
def anonymous(db: None) -> Client:
    return as_user(None)


@pytest.fixture
def as_alice(alice: User) -> Client:
    return as_user(alice)


@pytest.fixture
def as_bob(bob: User) -> Client:
    return as_user(bob)


@pytest.fixture
def as_dave(dave: User) -> Client:
    return as_user(dave)


@pytest.fixture
def as_charlie(charlie: User) -> Client:
    return as_user(charlie)
