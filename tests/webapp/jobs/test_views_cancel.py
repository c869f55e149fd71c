"""The cancel button."""

import pytest
from django.test import Client
from factories import JobFactory, RunFactory
from pictured import crashed, finished

from webapp.core.models import User
from webapp.jobs.models import Job, Run, Status

pytestmark = pytest.mark.usefixtures("queue")
HTMX = {"HX-Request": "true"}


@pytest.fixture
def job(alice: User) -> Job:
    return JobFactory(owner=alice)


def test_ends_what_waits_and_shows_the_page(as_alice: Client, job: Job) -> None:
    RunFactory(job=job)
    response = as_alice.post(f"/jobs/{job.pk}/cancel")
    assert response["Location"] == f"/jobs/{job.pk}/"
    assert Run.objects.get().status == Status.CANCELED
    page = as_alice.get(response["Location"]).content.decode()
    assert "<title>Canceled: a dot moves" in page
    assert 'id="retry"' in page


def test_asks_a_worker_to_stop_and_says_so_in_place(as_alice: Client, job: Job) -> None:
    run = RunFactory(job=job, started=True)
    Job.objects.update(status=Status.STARTED)
    crashed(run, 0)
    response = as_alice.post(f"/jobs/{job.pk}/cancel?cursor=1.0&run=1&cards=1&picture=coming", headers=HTMX)
    part = response.content.decode()
    assert response.status_code == 200
    assert '<p id="stage" hx-swap-oob="innerHTML">Stopping</p>' in part
    assert 'hx-trigger="every 1s"' in part
    assert 'id="try-1"' not in part
    assert Run.objects.get().stop_requested_at is not None


def test_ends_in_place_what_waits(as_alice: Client, job: Job) -> None:
    RunFactory(job=job)
    part = as_alice.post(f"/jobs/{job.pk}/cancel?run=1", headers=HTMX).content.decode()
    assert "hx-trigger" not in part
    assert 'id="retry"' in part


def test_changes_nothing_when_it_is_over(as_alice: Client, job: Job) -> None:
    finished(job)
    assert as_alice.post(f"/jobs/{job.pk}/cancel").status_code == 302
    assert Run.objects.get().status == Status.FINISHED


def test_belongs_to_the_owner(as_charlie: Client, as_dave: Client, anonymous: Client, job: Job) -> None:
    RunFactory(job=job)
    for client in (as_charlie, as_dave):
        assert client.post(f"/jobs/{job.pk}/cancel").status_code == 404
    here = f"http://testserver/jobs/{job.pk}/"
    assert anonymous.post(f"/jobs/{job.pk}/cancel", headers={"Referer": here})["Location"].endswith(
        f"?next=/jobs/{job.pk}/"
    )
    assert anonymous.post(f"/jobs/{job.pk}/cancel", headers={"Referer": "http://evil.example/x"})["Location"].endswith(
        "?next=/"
    )
    assert Run.objects.get().status == Status.QUEUED


def test_needs_a_form_and_a_token(as_alice: Client, alice: User, job: Job) -> None:
    RunFactory(job=job)
    assert as_alice.get(f"/jobs/{job.pk}/cancel")["Location"] == f"/jobs/{job.pk}/"
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(alice)
    assert strict.post(f"/jobs/{job.pk}/cancel").status_code == 403
    assert Run.objects.get().status == Status.QUEUED
