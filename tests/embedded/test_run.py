"""`./run` from end to end: started, looked at, used, disturbed, stopped. The model is a script, all else is real."""

import json
import os
import shutil
import signal
import socket
import sys
import tempfile
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import psutil
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
def house() -> Iterator[Ran]:
    """One that is ready, for the tests that only look at it or use it."""
    with tempfile.TemporaryDirectory(prefix="pr-run-") as folder:
        ran = Ran(settings_for(Path(folder) / "data", free_port(), SCRIPT))
        try:
            ran.until(lambda status: status["ready"])
            yield ran
        finally:
            ran.close()


def get(url: str) -> tuple[int, str]:
    with urllib.request.urlopen(url, timeout=30) as response:
        return response.status, response.read().decode()


def test_it_says_where_the_page_is_how_to_sign_in_and_how_to_stop(house):
    url = f"http://127.0.0.1:{house.environment['PORT']}"
    eventually(lambda: "Stop with Ctrl-C." in house.said)
    assert f"The page answers at {url}\n" in house.said
    assert set(house.status["sign_in"]) == {"educator", "annotator", "admin"}
    assert all(link.startswith(f"{url}/sign-in/") and link in house.said for link in house.status["sign_in"].values())
    assert get(f"{url}/health") == (200, "ok")


def test_the_status_has_its_fixed_names_and_is_its_owners_alone(house):
    status = house.status
    assert status["ready"] is True
    assert status["sandbox_mode"] in ("bwrap-root", "bwrap-user")
    assert status["tex_backend"]
    assert status["model"]["source"] == house.environment["LLM_BASE_URL"]
    assert status["ready_s"] > 0
    assert status["setup_s"] >= 0
    states = {name: service["state"] for name, service in status["services"].items()}
    assert states.pop("database") == "done"
    assert set(states.values()) == {"ready"}
    assert {"postgres", "valkey", "renderer", "web", "reconciler", "worker-1"} == set(states)
    assert (house.data / "run" / "status.json").stat().st_mode & 0o777 == 0o600


def test_no_secret_is_in_a_log(house):
    logs = "".join(path.read_text() for path in (house.data / "log").iterdir())
    password = (house.data / "postgres" / "password").read_text().strip()
    assert logs
    assert password not in logs
    assert not any(link.rsplit("/", 2)[1] in logs for link in house.status["sign_in"].values())


def test_what_renders_programs_knows_no_secret(house):
    known = psutil.Process(house.pid("renderer")).environ()
    assert not known.keys() & {"DATABASE_URL", "REDIS_URL", "SECRET_KEY", "LLM_API_KEY"}


def test_a_second_one_on_the_same_data_says_where_the_first_is(house):
    done = run(house.environment)
    assert (done.returncode, done.stderr) == (3, "")
    assert done.stdout.count("\n") == 1
    assert house.status["url"] in done.stdout


def test_a_check_beside_it_tells_how_it_is(house):
    done = run(house.environment, "--check", "--json")
    assert done.returncode == 0
    assert json.loads(done.stdout)["services"] == house.status["services"]


def test_generate_goes_through_the_one_that_runs_and_takes_no_folder_that_is_in_use(house, tmp_path):
    options = ("--json", "--quality", "480p15", "--out", str(tmp_path / "out"))
    done = run(house.environment, "generate", PROMPT, *options)
    result = json.loads(done.stdout)
    assert (done.returncode, result["outcome"]) == (0, "accepted")
    assert Path(result["video"]).is_file()
    assert "Postgres is ready" not in done.stderr
    assert run(house.environment, "generate", PROMPT, *options).returncode == 2


@pytest.mark.parametrize("name", ["renderer", "valkey", "postgres", "web", "worker-1"])
def test_what_dies_is_started_again_and_said_so(house, name):
    title = {"web": "The web server", "renderer": "The renderer", "worker-1": "Worker 1"}.get(name, name.title())
    before = house.pid(name)
    os.kill(before, signal.SIGKILL)
    eventually(lambda: f"{title} ended (killed by SIGKILL)" in house.said)
    house.until(lambda status: status["ready"] and status["services"][name]["pid"] != before)
    assert house.status["services"][name]["restarts"] >= 1
    assert get(f"{house.status['url']}/health") == (200, "ok")


def test_it_still_makes_videos_after_all_that(house, tmp_path):
    done = run(house.environment, "generate", PROMPT, "--quality", "480p15", "--out", str(tmp_path / "out"))
    assert done.returncode == 0, done.stderr
    assert Path(done.stdout.splitlines()[-1]) == tmp_path / "out" / "video.mp4"
    assert (tmp_path / "out" / "video.mp4").stat().st_size > 1000
    assert json.loads((tmp_path / "out" / "run.json").read_text())["outcome"] == "accepted"


def test_an_interrupt_leaves_no_process_and_nothing_but_the_data(house):
    sockets = Path(house.status["sockets"])
    assert sockets.is_dir()
    assert house.stop() == 0
    assert left_over(house.data) == []
    assert not sockets.exists()
    assert [path.name for path in (house.data / "run").iterdir()] == ["lock"]
    assert house.said.rstrip().endswith("Stopping.")


def test_the_data_is_there_at_the_next_start_also_after_a_kill(house, tmp_path):
    ran = Ran(house.environment)
    try:
        ran.until(lambda status: status["ready"])
        pids = [service["pid"] for service in ran.status["services"].values() if service["pid"]]
        ran.process.kill()
        ran.process.wait()
        eventually(lambda: not any(is_alive(pid) for pid in pids))
    finally:
        ran.close()
    options = ("--json", "--quality", "480p15", "--out", str(tmp_path / "out"))
    done = run(house.environment, "generate", PROMPT, *options)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["outcome"] == "accepted"
    assert "Postgres is ready." in done.stderr
    assert left_over(house.data) == []


def test_generate_gives_the_exit_code_of_a_run_without_a_video(house, tmp_path):
    environment = settings_for(house.data, int(house.environment["PORT"]), ["I would rather not."] * 9)
    done = run(environment, "generate", PROMPT, "--out", str(tmp_path / "out"))
    assert done.returncode == 1
    assert done.stdout == ""
    assert left_over(house.data) == []


def test_an_interrupt_while_it_starts_stops_it(house):
    ran = Ran(house.environment)
    eventually(lambda: "is ready" in ran.said)
    assert ran.stop(signal.SIGTERM) == 0
    assert left_over(house.data) == []


def test_without_a_model_the_page_is_there_and_the_reason_names_what_to_set(house, tmp_path):
    environment = settings_for(house.data, int(house.environment["PORT"]), MODEL_FILE=str(tmp_path / "none.gguf"))
    done = run(environment, "--check", "--json")
    status = json.loads(done.stdout)
    assert (done.returncode, status["ready"]) == (3, False)
    assert status["services"]["web"]["state"] == "ready"
    assert "MODEL_FILE=" in status["services"]["weights"]["message"]
    assert status["services"]["worker-1"]["message"] == "Worker 1 waits for the model."
    assert done.stderr.count("MODEL_FILE=") == 1


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
    given = {"DATABASE_URL": services.postgres.url("given"), "REDIS_URL": services.valkey.url(15)}
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
