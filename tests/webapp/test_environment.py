"""Where the settings come from: the process, then what a running `./run` has written down."""

import json
import os
from pathlib import Path

import pytest

from webapp.environment import read_environment

WRITTEN = {"DATABASE_URL": "postgresql:///kept", "REDIS_URL": "redis://kept", "RENDER_SOCKET": "/kept/render.sock"}
OURS = ("DATABASE_URL", "REDIS_URL", "RENDER_SOCKET", "BOOT_ID")


@pytest.fixture
def shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """A shell in which nothing is set but the folder, and another database's port."""
    for name in OURS:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PROOFREEL_DATA", str(tmp_path))
    monkeypatch.setenv("PGPORT", "1")
    return monkeypatch


@pytest.fixture
def running(tmp_path: Path) -> None:
    """A `./run` on that folder."""
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "environment.json").write_text(json.dumps(WRITTEN))


def test_alone_the_defaults_hold(shell):
    found = read_environment()
    assert (found.database_url, found.render_socket, found.is_guest) == ("postgresql:///proofreel", None, False)
    assert os.environ["PGPORT"] == "1"


def test_beside_a_run_its_services_are_found_and_the_shell_says_nothing_about_its_database(shell, running):
    found = read_environment()
    assert found.database_url == WRITTEN["DATABASE_URL"]
    assert found.redis_url == WRITTEN["REDIS_URL"]
    assert str(found.render_socket) == WRITTEN["RENDER_SOCKET"]
    assert found.is_guest
    assert "PGPORT" not in os.environ


def test_what_libpq_needs_for_a_database_that_the_run_was_given_comes_with_it(shell, running, tmp_path):
    (tmp_path / "run" / "environment.json").write_text(json.dumps(WRITTEN | {"PGPORT": "5433"}))
    read_environment()
    assert os.environ["PGPORT"] == "5433"


def test_whoever_names_another_database_is_no_guest_and_keeps_what_the_shell_says(shell, running):
    shell.setenv("DATABASE_URL", "postgresql:///other")
    found = read_environment()
    assert (found.database_url, found.redis_url, found.is_guest) == ("postgresql:///other", "redis://kept", False)
    assert os.environ["PGPORT"] == "1"


def test_what_the_run_has_started_itself_is_no_guest(shell, running):
    shell.setenv("DATABASE_URL", WRITTEN["DATABASE_URL"])
    shell.setenv("BOOT_ID", "boot")
    assert not read_environment().is_guest
