"""A `./run` that starts and ends: what is left, and what it says when something is missing."""

import json
import os
import shutil
import signal
import socket
import sys
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from keeping import eventually, free_port, is_alive
from programs import MOVING, answer
from ran import Ran, left_over, run, settings_for

SCRIPT = [answer(MOVING)] * 3
PROMPT = "a dot moves to the right"
# A container that forbids what a sandbox is made of.
WITHOUT_SANDBOX = """
import os, sys
import pyseccomp
rules = pyseccomp.SyscallFilter(pyseccomp.ALLOW)
for name in ("unshare", "mount", "umount2", "pivot_root"):
    rules.add_rule(pyseccomp.ERRNO(1), name)
rules.load()
os.execv(sys.argv[1], sys.argv[1:])
"""


@pytest.fixture(scope="module")
def rest() -> Iterator[dict[str, str]]:
    """The environment of data that has been used before and is at rest now."""
    with tempfile.TemporaryDirectory(prefix="pr-run-") as folder:
        environment = settings_for(Path(folder) / "data", free_port(), SCRIPT)
        assert run(environment, "--check").returncode == 0
        yield environment


def data(environment: dict[str, str]) -> Path:
    return Path(environment["PROOFREEL_DATA"])


def test_an_interrupt_leaves_no_process_and_nothing_but_the_data(rest):
    ran = Ran(rest)
    ran.until(lambda status: status["ready"])
    sockets = Path(ran.status["sockets"])
    assert sockets.is_dir()
    assert ran.stop() == 0
    assert left_over(ran.data) == []
    assert not sockets.exists()
    assert [path.name for path in (ran.data / "run").iterdir()] == ["lock"]
    assert ran.said.rstrip().endswith("Stopping.")


def test_what_was_killed_leaves_no_process_and_starts_again_at_once_for_one_video(rest, tmp_path):
    ran = Ran(rest)
    try:
        ran.until(lambda status: status["ready"])
        pids = [service["pid"] for service in ran.status["services"].values() if service["pid"]]
        ran.process.kill()
        ran.process.wait()
    finally:
        ran.close()
    done = run(rest, "generate", PROMPT, "--json", "--quality", "480p15", "--out", str(tmp_path / "out"))
    assert not any(is_alive(pid) for pid in pids)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["outcome"] == "accepted"
    assert "Postgres is ready." in done.stderr
    assert left_over(data(rest)) == []


def test_generate_gives_the_exit_code_of_a_run_without_a_video(rest, tmp_path):
    environment = settings_for(data(rest), int(rest["PORT"]), ["I would rather not."] * 9)
    done = run(environment, "generate", PROMPT, "--out", str(tmp_path / "out"))
    assert done.returncode == 1
    assert done.stdout == ""
    assert left_over(data(rest)) == []


def test_an_interrupt_while_it_starts_stops_it(rest):
    ran = Ran(rest)
    eventually(lambda: "is ready" in ran.said)
    assert ran.stop(signal.SIGTERM) == 0
    assert left_over(data(rest)) == []


# What a shell may be set up for besides: another database, and a name by which browsers ask.
OF_ANOTHER_DATABASE = {"PGPORT": "1", "PGHOSTADDR": "203.0.113.9", "PGOPTIONS": "-c nonsense=1", "PGSERVICE": "none"}
PUBLIC = {"ALLOWED_HOSTS": "proofreel.example"}


@pytest.mark.parametrize("shell", [OF_ANOTHER_DATABASE, PUBLIC], ids=["another database", "a public name"])
def test_what_the_shell_is_set_up_for_besides_does_not_keep_it_from_being_ready(rest, shell):
    done = run(rest | shell, "--check")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Proofreel is ready" in done.stdout


def test_a_command_that_comes_while_it_starts_waits_for_a_worker(rest, tmp_path):
    ran = Ran(settings_for(data(rest), int(rest["PORT"]), SCRIPT))
    try:
        worker = ran.pid("worker-1")
        os.kill(worker, signal.SIGSTOP)  # so that it is not ready before the command has looked
        threading.Timer(5, os.kill, (worker, signal.SIGCONT)).start()
        done = run(rest, "generate", PROMPT, "--quality", "480p15", "--out", str(tmp_path / "out"))
        assert done.returncode == 0, done.stderr
        assert "whose workers are not ready yet is using the data folder" in done.stderr
    finally:
        ran.close()


def test_a_command_beside_one_without_workers_is_one_sentence(rest):
    ran = Ran(rest | {"WORKERS": "0"})
    try:
        ran.until(lambda status: status["ready"])
        done = run(rest, "generate", PROMPT)
    finally:
        ran.close()
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr == f"Proofreel is running on {ran.data} without workers; set WORKERS there.\n"


def test_without_a_model_the_page_is_there_and_the_reason_names_what_to_set(rest, tmp_path):
    ran = Ran(settings_for(data(rest), int(rest["PORT"]), MODEL_FILE=str(tmp_path / "none.gguf")))
    try:
        status = ran.until(lambda status: status["settled"] and status)
        eventually(lambda: "Stop with Ctrl-C." in ran.said)
        asked = run(ran.environment, "generate", PROMPT)
    finally:
        ran.close()
    assert status["ready"] is False
    assert status["services"]["web"]["state"] == "ready"
    assert "MODEL_FILE=" in status["services"]["weights"]["message"]
    assert status["services"]["worker-1"]["message"] == "Worker 1 waits for the model."
    assert ran.said.count("MODEL_FILE=") == 2, "once as news, once in how everything is"
    assert asked.returncode == 3
    assert asked.stderr.splitlines()[-1] == status["services"]["weights"]["message"]


def test_a_port_in_use_is_one_sentence_before_anything_is_started(tmp_path):
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        done = run(settings_for(tmp_path / "data", port, SCRIPT))
    assert done.returncode == 3
    assert done.stdout == f"Port {port} is in use by another program; set PORT to a free one, e.g. PORT={port + 1}.\n"
    assert done.stderr == ""
    assert not (tmp_path / "data" / "postgres").exists()


def test_a_database_that_cannot_be_reached_is_one_sentence(tmp_path):
    environment = settings_for(tmp_path / "data", free_port(), SCRIPT, DATABASE_URL="postgresql://127.0.0.1:9/none")
    done = run(environment)
    assert done.returncode == 3
    assert "The database failed" in done.stdout.splitlines()[-1]
    assert "onnection refused" in done.stdout.splitlines()[-1]
    assert left_over(tmp_path / "data") == []


def test_services_that_are_given_are_not_started(tmp_path, services):
    services.postgres.create_database("given")
    address = urlsplit(services.postgres.url("given"))
    without_password = address._replace(netloc="postgres@").geturl()
    given = {"DATABASE_URL": without_password, "PGPASSWORD": address.password, "REDIS_URL": services.valkey.url(15)}
    done = run(settings_for(tmp_path / "data", free_port(), SCRIPT, **given), "--check")
    assert done.returncode == 0, done.stderr
    assert "Proofreel is ready" in done.stdout
    assert "Postgres" not in done.stderr
    assert "Valkey" not in done.stderr
    assert not (tmp_path / "data" / "postgres").exists()


def test_without_a_sandbox_nothing_is_rendered_and_the_rest_runs():
    folder = Path(tempfile.mkdtemp(prefix="pr-run-"))
    folder.chmod(0o711)  # there Postgres runs as nobody, when we are root
    try:
        prefix = (sys.executable, "-c", WITHOUT_SANDBOX, "/usr/bin/env")
        done = run(settings_for(folder / "data", free_port(), SCRIPT), "--check", "--json", prefix=prefix)
        status = json.loads(done.stdout)
    finally:
        shutil.rmtree(folder)
    assert (done.returncode, status["ready"], status["sandbox_mode"]) == (3, False, None)
    assert "No sandbox works on this machine" in status["services"]["renderer"]["message"]
    assert status["services"]["web"]["state"] == "ready"
    assert status["services"]["worker-1"]["message"] == "Worker 1 waits for the renderer."


@pytest.mark.parametrize("arguments", [("--json",), ("--check", "generate", "x"), ("serve",), ("generate",)])
def test_what_it_does_not_know_is_a_usage_line(tmp_path, arguments):
    done = run(settings_for(tmp_path / "data", free_port(), SCRIPT), *arguments)
    assert done.returncode == 2
    assert "usage: ./run" in done.stderr
    assert not (tmp_path / "data").exists()
