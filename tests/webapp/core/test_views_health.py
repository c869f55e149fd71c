"""Whether the web server answers."""

import pytest
from django.test import Client


def test_answers_without_a_database() -> None:
    # No database fixture: pytest-django fails a test that asks the database without one.
    response = Client().get("/health")
    assert (response.status_code, response.content) == (200, b"ok")


@pytest.mark.parametrize("method", ["post", "put", "delete"])
def test_is_only_read(method: str) -> None:
    assert getattr(Client(), method)("/health").status_code == 405
