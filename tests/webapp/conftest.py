"""Browsers that are signed in as one of the cast, and a model to ask."""

import pytest
from django.test import Client
from factories import EndpointFactory

from webapp.core.models import User
from webapp.endpoints.models import Endpoint


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
