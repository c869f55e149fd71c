"""The table of children: what each may know, and how long it is waited for."""

from pathlib import Path

import pytest

from embedded.children import Child
from embedded.settings import read_settings
from embedded.table import Ground, table

SHELL = {"PATH": "/bin", "PGPORT": "1", "PGHOSTADDR": "203.0.113.9", "PGPASSWORD": "p", "PGSERVICE": "s"}
OF_THE_DATABASE = {"database", "web", "reconciler", "worker-1"}


@pytest.fixture
def ground(tmp_path: Path) -> "Rows":
    return Rows(tmp_path)


class Rows:
    """The table as it is in a shell with these settings besides."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def __call__(self, **given: str) -> dict[str, Child]:
        environ = SHELL | {"PROOFREEL_DATA": str(self.folder), "LLM_BASE_URL": "http://gpu/v1", "WORKERS": "1"} | given
        children = table(Ground(read_settings(environ), self.folder, 0, environ, "boot"))
        return {child.name: child for child in children}


def libpq(child: Child) -> set[str]:
    return {name for name in child.environment if name.startswith("PG")}


def test_nothing_that_the_shell_says_about_another_database_reaches_a_child_of_ours(ground):
    assert {name: libpq(child) for name, child in ground().items() if libpq(child)} == {}


def test_what_the_shell_says_about_the_database_that_is_given_reaches_those_who_use_it(ground):
    children = ground(DATABASE_URL="postgresql:///given")
    assert {name for name, child in children.items() if libpq(child)} == OF_THE_DATABASE
    assert libpq(children["web"]) == {"PGPORT", "PGHOSTADDR", "PGPASSWORD", "PGSERVICE"}


def test_a_store_that_recovers_from_a_crash_is_waited_for_as_long_as_it_lives(ground):
    children = ground()
    assert (children["postgres"].patience_s, children["valkey"].patience_s) == (None, None)


def test_only_our_own_children_know_of_the_boot(tmp_path, ground):
    assert ground()["web"].environment["BOOT_ID"] == "boot"
    environ = {"PROOFREEL_DATA": str(tmp_path)}
    assert "BOOT_ID" not in Ground(read_settings(environ), tmp_path, 0, environ, "boot").published()
