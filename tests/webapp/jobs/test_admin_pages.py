"""Django's own pages: for staff only, and to look at."""

import pytest
from django.test import Client
from factories import JobFactory
from pictured import crashed, finished

from webapp.core.models import User

LISTS = [
    "core/user",
    "core/invitation",
    "endpoints/endpoint",
    "jobs/job",
    "jobs/run",
    "jobs/iteration",
    "jobs/call",
    "jobs/worker",
]
QUEUE_PAGES = ["/admin/queue/", "/admin/queue/queues/0/", "/admin/queue/queues/0/failed/", "/admin/queue/workers/0/"]


@pytest.fixture
def as_staff(dave: User) -> Client:
    dave.is_staff = dave.is_superuser = True
    dave.save()
    client = Client()
    client.force_login(dave)
    return client


@pytest.mark.parametrize("name", LISTS)
def test_staff_sees_every_list(as_staff: Client, name: str) -> None:
    crashed(finished(JobFactory()))
    assert as_staff.get(f"/admin/{name}/").status_code == 200


def test_jobs_are_not_changed_by_hand(as_staff: Client) -> None:
    job = JobFactory()
    assert as_staff.get(f"/admin/jobs/job/{job.pk}/change/").status_code == 200
    assert as_staff.post(f"/admin/jobs/job/{job.pk}/change/", {"text": "x"}).status_code == 403
    assert as_staff.get("/admin/jobs/job/add/").status_code == 403
    assert as_staff.post(f"/admin/jobs/job/{job.pk}/delete/", {"post": "yes"}).status_code == 403


@pytest.mark.parametrize("path", QUEUE_PAGES)
def test_staff_sees_the_queue(as_staff: Client, queue: object, path: str) -> None:
    assert as_staff.get(path).status_code == 200


@pytest.mark.parametrize("path", ["/admin/", *QUEUE_PAGES, "/admin/jobs/run/", "/admin/queue/queues/0/empty/"])
def test_nobody_else_sees_anything(
    as_alice: Client, as_bob: Client, as_dave: Client, anonymous: Client, path: str
) -> None:
    for client in (as_alice, as_bob, as_dave, anonymous):
        for response in (client.get(path), client.post(path)):
            assert response["Location"].startswith("/admin/login/")


def test_the_queues_numbers_are_for_staff_too(as_alice: Client, anonymous: Client) -> None:
    for client in (as_alice, anonymous):
        assert b'"queues"' not in client.get("/admin/queue/stats.json").content
