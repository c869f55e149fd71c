"""Django's own pages: for staff only, and to look at."""

import pytest
from django.test import Client
from factories import JobFactory, UserFactory
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
def as_admin(dave: User) -> Client:
    """An admin who came by an invitation: staff, and no superuser."""
    dave.is_staff = True
    dave.save()
    client = Client()
    client.force_login(dave)
    return client


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
def test_superusers_see_the_queue(as_staff: Client, queue: object, path: str) -> None:
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


class TestAnAdminByInvitation:
    def test_sees_people_and_closes_an_account(self, as_admin: Client, alice: User) -> None:
        assert "alice" in as_admin.get("/admin/core/user/").content.decode()
        form = {"username": "alice", "date_joined_0": "2026-01-01", "date_joined_1": "00:00"}
        as_admin.post(f"/admin/core/user/{alice.pk}/change/", form)
        alice.refresh_from_db()
        assert not alice.is_active

    def test_makes_nobody_a_superuser(self, as_admin: Client, dave: User) -> None:
        form = {"username": "dave", "is_active": "on", "is_staff": "on", "is_superuser": "on"}
        form |= {"date_joined_0": "2026-01-01", "date_joined_1": "00:00"}
        assert as_admin.post(f"/admin/core/user/{dave.pk}/change/", form).status_code == 302
        dave.refresh_from_db()
        assert not dave.is_superuser

    def test_changes_no_superuser(self, as_admin: Client) -> None:
        above = UserFactory(is_superuser=True, is_staff=True)
        for page in ("change", "password"):
            assert as_admin.post(f"/admin/core/user/{above.pk}/{page}/", {"username": "mine"}).status_code == 403

    @pytest.mark.parametrize("name", ["jobs/job", "jobs/run", "jobs/worker", "endpoints/endpoint"])
    def test_looks_at_the_work(self, as_admin: Client, name: str) -> None:
        assert as_admin.get(f"/admin/{name}/").status_code == 200

    @pytest.mark.parametrize("path", [*QUEUE_PAGES, "/admin/queue/queues/0/empty/"])
    def test_leaves_the_queue_alone(self, as_admin: Client, path: str) -> None:
        for response in (as_admin.get(path), as_admin.post(path)):
            assert response["Location"].startswith("/admin/login/")

    def test_finds_no_other_way_to_it(self, as_admin: Client) -> None:
        assert as_admin.post("/admin/django_rq/dashboard/queues/0/empty/").status_code == 404
