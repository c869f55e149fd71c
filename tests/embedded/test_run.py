"""A `./run` that is ready: looked at, used, disturbed. The model is a script, all else is real."""

import json
import os
import signal
import subprocess
import sys
import tempfile
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest
from keeping import ROOT, eventually, free_port
from programs import MOVING, answer
from ran import Ran, run, settings_for

SCRIPT = [answer(MOVING)] * 3
PROMPT = "a dot moves to the right"


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


def test_the_web_server_listens_nowhere_else(house):
    server = psutil.Process(house.pid("web"))
    for process in (server, *server.children(recursive=True)):
        assert [known.laddr for known in process.net_connections("unix") if known.laddr] == []


def by_hand(house: Ran, *arguments: str) -> subprocess.CompletedProcess[str]:
    """`manage.py` in a shell that knows the data folder only, and is set up for another database."""
    shell = {"PATH": os.environ["PATH"], "PROOFREEL_DATA": str(house.data), "PGPORT": "1", "PGHOSTADDR": "203.0.113.9"}
    command = [sys.executable, str(ROOT / "manage.py"), *arguments]
    return subprocess.run(command, env=shell, capture_output=True, text=True, timeout=60)


ENDPOINTS = "from webapp.endpoints.models import Endpoint; print(list(Endpoint.objects.order_by('id').values()))"


def test_preparing_by_hand_beside_it_changes_neither_its_model_nor_its_links(house):
    before = by_hand(house, "shell", "--no-imports", "-c", ENDPOINTS)
    done = by_hand(house, "prepare")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == {"sign_in": {}}
    assert done.stderr == "Proofreel is running: its model and its links for signing in stay as they are.\n"
    assert before.stdout.count("scripted") > 0
    assert by_hand(house, "shell", "--no-imports", "-c", ENDPOINTS).stdout == before.stdout
    browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
    with browser.open(house.status["sign_in"]["educator"], timeout=30) as page:
        assert "educator" in page.read().decode()


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
