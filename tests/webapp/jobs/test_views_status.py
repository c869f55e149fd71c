"""The status page of admins."""

import http.server
import json
import re
import threading
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from django.conf import settings as django_settings
from django.test import Client
from django.utils import timezone
from factories import EndpointFactory, JobFactory, RunFactory
from pictured import crashed, finished
from pytest_django import Settings as DjangoSettings

from agent.models.running import RunningServer, state_file, write_state
from agent.types import ErrorKind
from webapp.endpoints.models import Endpoint
from webapp.jobs import words
from webapp.jobs.models import Status, Worker

PAGE = "/status/"


def rows(client: Client, table: str) -> dict[str, str]:
    """The rows of a table: what its first cell says, and what the others say."""
    page = client.get(PAGE).content.decode()
    found = re.search(rf'<table[^>]*id="{table}".*?</table>', page, re.DOTALL)
    cells = re.findall(r"<tr>\s*<th scope=\"row\">(.*?)</th>(.*?)</tr>", found[0] if found else "", re.DOTALL)
    return {name: " ".join(re.sub("<[^>]+>", " ", rest).split()) for name, rest in cells}


class TestServices:
    def test_that_answer(self, as_dave: Client, queue: object) -> None:
        told = rows(as_dave, "services")
        assert told["Database (Postgres)"] == "well answers"
        assert told["Queue (Valkey)"].startswith("well answers, version ")

    def test_a_queue_that_is_down_does_not_break_the_page(self, as_dave: Client, settings: DjangoSettings) -> None:
        settings.RQ_QUEUES = {"default": {"URL": "redis://127.0.0.1:1/0"}}
        assert rows(as_dave, "services")["Queue (Valkey)"].startswith("down does not answer (ConnectionError)")

    def test_workers_that_were_heard_of(self, as_dave: Client) -> None:
        now = timezone.now()
        for name, seconds in (("awake", 5), ("asleep", 300), ("forgotten", 200_000)):
            Worker.objects.create(
                name=name, host="studio", seen_at=now - timedelta(seconds=seconds), sandbox_mode="bwrap-root",
                tex_backend="mathjax",
            )  # fmt: skip
        told = rows(as_dave, "services")
        assert told["Worker awake"].startswith("well on studio")
        assert "sandbox bwrap-root, formulas by mathjax" in told["Worker awake"]
        assert told["Worker asleep"].startswith("silent")
        assert "Worker forgotten" not in told

    def test_no_worker_at_all(self, as_dave: Client) -> None:
        assert rows(as_dave, "services")["Workers"].startswith("none no worker has been heard of")


class TestTheModel:
    @pytest.fixture
    def server(self) -> Iterator[str]:
        """A server that answers every request with 200, but those for other addresses with 404 and those with a wrong
        key with 401."""

        class Answers(http.server.BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                is_wrong = self.headers.get("Authorization") == "Bearer wrong"
                self.send_response(401 if is_wrong else 404 if self.path.startswith("/elsewhere") else 200)
                self.end_headers()
                self.wfile.write(b'{"data": [{"id": "some-model"}]}')

            def log_message(self, *_: object) -> None:
                pass

        with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Answers) as here:
            threading.Thread(target=here.serve_forever, daemon=True).start()
            yield f"http://127.0.0.1:{here.server_address[1]}"
            here.shutdown()

    def test_that_nobody_has_set_up(self, as_dave: Client) -> None:
        assert rows(as_dave, "services")["Model"].startswith("down none is set up")

    def test_that_answers(self, as_dave: Client, server: str) -> None:
        EndpointFactory(name="remote", kind=Endpoint.Kind.REMOTE, base_url=f"{server}/v1", model="some-model")
        assert rows(as_dave, "services")["Model"] == f"well some-model at {server}/v1: answers (HTTP 200)"

    def test_that_knows_no_models(self, as_dave: Client, server: str) -> None:
        EndpointFactory(name="remote", kind=Endpoint.Kind.REMOTE, base_url=f"{server}/elsewhere", model="some-model")
        told = rows(as_dave, "services")["Model"]
        assert told == f"down some-model at {server}/elsewhere: knows no such address (HTTP 404)"

    @pytest.mark.parametrize(("key", "said"), [("wrong", "down refused the key"), ("right", "well answers")])
    def test_that_wants_a_key(
        self, as_dave: Client, server: str, monkeypatch: pytest.MonkeyPatch, key: str, said: str
    ) -> None:
        monkeypatch.setenv("LLM_API_KEY", key)
        EndpointFactory(name="remote", kind=Endpoint.Kind.REMOTE, base_url=server, key_setting="LLM_API_KEY")
        told = rows(as_dave, "services")["Model"]
        assert told.replace(f"{server}: ", "").startswith(said)
        assert f" {key}" not in told

    @pytest.mark.parametrize("url", ["http://127.0.0.1:1/v1", "http://[", "nonsense"])
    def test_that_does_not(self, as_dave: Client, url: str) -> None:
        EndpointFactory(name="remote", kind=Endpoint.Kind.REMOTE, base_url=url)
        assert "cannot be reached" in rows(as_dave, "services")["Model"]

    def test_that_plays_back_a_file(self, as_dave: Client, tmp_path: Path) -> None:
        script = tmp_path / "script.json"
        EndpointFactory(script=str(script))
        assert rows(as_dave, "services")["Model"].startswith("down")
        script.write_text("[]")
        assert rows(as_dave, "services")["Model"] == f"well scripted: {script}"

    def test_that_runs_here(
        self, as_dave: Client, server: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("PROOFREEL_CACHE", str(tmp_path))
        EndpointFactory(name="embedded", kind=Endpoint.Kind.EMBEDDED)
        assert rows(as_dave, "services")["Model"] == "down the embedded model is not running"
        running = RunningServer(pid=1, base_url=server, model="some-model", api_key="secret", path="/x/w.gguf")
        write_state(state_file(tmp_path), running)
        assert rows(as_dave, "services")["Model"] == "well some-model, embedded, w.gguf"
        assert "secret" not in as_dave.get(PAGE).content.decode()


class TestTheSupervisor:
    @pytest.fixture
    def told(self) -> Iterator[Path]:
        file = django_settings.ENVIRONMENT.data / "run" / "status.json"
        file.parent.mkdir(parents=True, exist_ok=True)
        yield file
        file.unlink(missing_ok=True)

    def test_what_it_says_is_shown_without_the_links_for_signing_in(self, as_dave: Client, told: Path) -> None:
        status = {
            "ready": False,
            "ready_s": 6.42,
            "sign_in": {"admin": "/sign-in/secret/"},
            "services": {
                "worker": {"state": "failed", "pid": None, "restarts": 2, "message": "The worker <b>ended</b>."},
                "weights": {"state": "done", "pid": None, "restarts": 0, "message": ""},
            },
        }
        told.write_text(json.dumps(status))
        page = as_dave.get(PAGE).content.decode()
        assert rows(as_dave, "supervisor") == {
            "worker": "failed 2 The worker &lt;b&gt;ended&lt;/b&gt;.",
            "weights": "done 0",
        }
        assert "6.4 s after its start" in page
        assert "secret" not in page

    @pytest.mark.parametrize("content", ["", "{", "[1]", "null", '{"services": [1]}', '{"services": {"a": 1}}'])
    def test_half_a_file_is_no_file(self, as_dave: Client, told: Path, content: str) -> None:
        told.write_text(content)
        assert rows(as_dave, "supervisor") == {}


class TestTheQueueAndWhatFailed:
    def test_how_many_wait_and_work(self, as_dave: Client) -> None:
        for minutes in (3, 90):
            RunFactory(queued_at=timezone.now() - timedelta(minutes=minutes))
        RunFactory(started=True)
        page = as_dave.get(PAGE).content.decode()
        figures = re.findall(r"<dt>([^<]+)</dt><dd>([^<]+)</dd>", page)
        assert figures == [("Waiting", "2"), ("In work", "1"), ("Oldest waiting", "an hour ago")]

    def test_failures_of_the_last_week_by_reason_and_kind(self, as_dave: Client) -> None:
        for _ in range(2):
            ended = {"status": Status.FAILED, "outcome": "failed", "video": False}
            run = finished(JobFactory(), stop_reason="model_error", **ended)
            crashed(run, 0, ErrorKind.LATEX)
        crashed(run, 1, ErrorKind.TIMEOUT)
        finished(JobFactory(), stop_reason="crashed", **ended | {"ended_at": timezone.now() - timedelta(days=8)})
        finished(JobFactory())
        assert rows(as_dave, "stop-reasons") == {"The model gave no answer": "2"}
        assert rows(as_dave, "error-kinds") == {
            words.ERRORS[ErrorKind.LATEX]: "2",
            words.ERRORS[ErrorKind.TIMEOUT]: "1",
        }

    def test_jobs_per_day(self, as_dave: Client) -> None:
        JobFactory(status=Status.FINISHED)
        JobFactory(status=Status.FAILED)
        JobFactory(created_at=timezone.now() - timedelta(days=20))
        assert list(rows(as_dave, "days").values()) == ["2 1 1"]


class TestWhoMaySeeIt:
    def test_nobody_but_admins(self, as_alice: Client, as_bob: Client, anonymous: Client) -> None:
        for client in (as_alice, as_bob):
            assert client.get(PAGE).status_code == 403
        assert anonymous.get(PAGE)["Location"] == "/sign-in/?next=/status/"

    def test_it_is_only_read(self, as_dave: Client) -> None:
        assert as_dave.post(PAGE).status_code == 405


def test_its_queries_do_not_grow(as_dave: Client, django_assert_num_queries: object) -> None:
    with django_assert_num_queries(10):
        as_dave.get(PAGE)
    for _ in range(5):
        crashed(finished(JobFactory(), status=Status.FAILED, stop_reason="crashed"), 0)
    EndpointFactory()
    with django_assert_num_queries(10):
        as_dave.get(PAGE)
