"""Services for whoever needs a database: the embedded ones, started once for a test process."""

from collections.abc import Iterator

import pytest
import throwaway


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
