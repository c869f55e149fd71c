"""What people see when something is wrong: one clear sentence, never a trace."""

import re

import pytest
import throwaway
from django.db import OperationalError, connection
from django.test import Client, RequestFactory
from pytest_django import Settings as DjangoSettings

from webapp.core.models import User
from webapp.core.views import errors
from webapp.jobs.models import Job

SCRIPT = "<script>alert(1)</script>"


def sentence(response: object) -> str:
    """The page's own text."""
    page = response.content.decode()
    assert "Traceback" not in page
    assert "Proofreel" in page
    main = re.search(r"<main.*</main>", page, re.DOTALL)
    assert main
    return " ".join(re.sub("<[^>]+>", " ", main.group()).split())


@pytest.fixture
def strict_alice(alice: User) -> Client:
    """Alice's browser before a server that checks where forms come from."""
    client = Client(enforce_csrf_checks=True)
    client.force_login(alice)
    return client


def test_a_page_that_is_not_there(as_alice: Client) -> None:
    response = as_alice.get("/nowhere/")
    assert response.status_code == 404
    assert "There is nothing here, or it is not yours to see." in sentence(response)


def test_a_page_that_is_not_there_for_strangers(anonymous: Client) -> None:
    assert "There is nothing here" in sentence(anonymous.get(f"/{SCRIPT}"))


def test_a_page_for_others(as_bob: Client) -> None:
    response = as_bob.get("/status/")
    assert response.status_code == 403
    assert "Only admins" in sentence(response)


def test_a_host_that_is_not_ours(anonymous: Client, settings: DjangoSettings) -> None:
    response = anonymous.get("/", headers={"Host": "evil.example"})
    assert response.status_code == 400
    assert "made no sense" in sentence(response)


@pytest.mark.parametrize("content_type", ["application/x-www-form-urlencoded", "multipart/form-data; boundary=x"])
def test_too_much_at_once(as_alice: Client, content_type: str) -> None:
    field = b'--x\r\nContent-Disposition: form-data; name="text"\r\n\r\n'
    body = (field if "multipart" in content_type else b"text=") + b"a" * (20 << 20)
    response = as_alice.generic("POST", "/", body + b"\r\n--x--\r\n", content_type=content_type)
    assert response.status_code == 413
    assert "your text is still in the form" in sentence(response)
    assert response.wsgi_request.read(1) == b"", "a sender that is cut off does not hear the answer"


def test_a_broken_form(as_alice: Client) -> None:
    response = as_alice.generic("POST", "/", b"nonsense", content_type="multipart/form-data; boundary=")
    assert response.status_code == 400
    assert "made no sense" in sentence(response)


def test_a_form_that_is_too_old_keeps_what_was_typed(strict_alice: Client) -> None:
    typed = {"text": f"a dot {SCRIPT}", "repairs": "2", "password": "secret"}
    response = strict_alice.post("/", typed)
    assert response.status_code == 403
    page = response.content.decode()
    assert "a dot &lt;script&gt;alert(1)&lt;/script&gt;</textarea>" in page
    assert '<input type="hidden" name="repairs" value="2">' in page
    assert "secret" not in page
    assert not Job.objects.exists()


def test_and_it_can_be_sent_again_from_there(strict_alice: Client, endpoint: object) -> None:
    page = strict_alice.post("/", {"text": "a dot moves"}).content.decode()
    token = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', page)
    assert token
    strict_alice.post("/", {"text": "a dot moves", "csrfmiddlewaretoken": token[1]})
    assert Job.objects.get().text == "a dot moves"


def test_an_old_form_without_a_text_tells_what_to_do(strict_alice: Client) -> None:
    assert "reload the page" in sentence(strict_alice.post("/sign-out/"))


@pytest.mark.parametrize(
    ("error", "status", "said"),
    [
        (ValueError("the secret of the house"), 500, "broke on our side"),
        (OperationalError("connection refused"), 503, "database cannot be reached"),
    ],
)
def test_a_fault_of_ours(error: Exception, status: int, said: str, rf: RequestFactory) -> None:
    try:
        raise error
    except (ValueError, OperationalError):
        response = errors.server_error(rf.get("/"))
    assert response.status_code == status
    assert said in sentence(response)
    assert str(error) not in response.content.decode()


@pytest.mark.django_db(transaction=True)
def test_a_database_that_is_down(alice: User, services: throwaway.Throwaway) -> None:
    client = Client(raise_request_exception=False)
    client.force_login(alice)
    connection.close()
    services.postgres.stop()
    try:
        response = client.get("/jobs/")
    finally:
        services.postgres.start()
        connection.close()
    assert response.status_code == 503
    assert response["Retry-After"] == "10"
    assert "Nothing is lost" in sentence(response)


@pytest.mark.parametrize("path", ["/", "/jobs/", "/password/", "/nowhere/", "/health", "/sign-in/"])
def test_every_page_forbids_scripts_and_frames_of_others(as_alice: Client, path: str) -> None:
    response = as_alice.get(path)
    policy = response["Content-Security-Policy"]
    assert "script-src 'self'" in policy
    assert "unsafe" not in policy
    assert response["X-Frame-Options"] == "DENY"
    assert response["X-Content-Type-Options"] == "nosniff"
