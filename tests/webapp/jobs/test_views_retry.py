"""The button for trying again."""

import pytest
from django.test import Client
from factories import JobFactory
from pictured import finished

from webapp.core.models import User
from webapp.endpoints.models import Endpoint
from webapp.jobs.models import Job, Run

pytestmark = pytest.mark.usefixtures("queue")


@pytest.fixture
def job(alice: User) -> Job:
    return JobFactory(owner=alice)


def test_makes_another_attempt_and_shows_it(as_alice: Client, job: Job) -> None:
    finished(job)
    response = as_alice.post(f"/jobs/{job.pk}/retry")
    assert response["Location"] == f"/jobs/{job.pk}/"
    assert [run.number for run in job.runs.all()] == [1, 2]
    page = as_alice.get(response["Location"]).content.decode()
    assert "you are next" in page
    assert "?run=1" in page


def test_pressed_twice_it_makes_one(as_alice: Client, job: Job) -> None:
    finished(job)
    for _ in "ab":
        as_alice.post(f"/jobs/{job.pk}/retry")
    assert job.runs.count() == 2


def test_says_when_there_is_no_model_any_more(as_alice: Client, job: Job) -> None:
    finished(job)
    Endpoint.objects.update(is_default=False)
    page = as_alice.post(f"/jobs/{job.pk}/retry", follow=True).content.decode()
    assert "No model is set up yet" in page
    assert job.runs.count() == 1


def test_belongs_to_the_owner(as_charlie: Client, as_dave: Client, anonymous: Client, job: Job) -> None:
    finished(job)
    for client in (as_charlie, as_dave):
        assert client.post(f"/jobs/{job.pk}/retry").status_code == 404
    assert anonymous.post(f"/jobs/{job.pk}/retry").status_code == 302
    assert Run.objects.count() == 1


def test_an_address_that_is_only_opened_leads_to_the_page(as_alice: Client, job: Job) -> None:
    finished(job)
    assert as_alice.get(f"/jobs/{job.pk}/retry")["Location"] == f"/jobs/{job.pk}/"
    assert as_alice.put(f"/jobs/{job.pk}/retry").status_code == 405
    assert job.runs.count() == 1
