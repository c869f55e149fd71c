"""What a page that is open asks every second: what has changed."""

from datetime import timedelta
from urllib.parse import urlencode

import pytest
from django.test import Client
from django.utils import timezone
from factories import JobFactory, RunFactory
from pictured import crashed, drawn, finished

from webapp.core.models import User
from webapp.jobs.models import Job, Run, Status

HTMX = {"HX-Request": "true"}


@pytest.fixture
def job(alice: User) -> Job:
    return JobFactory(owner=alice, status=Status.STARTED, version=5)


@pytest.fixture
def run(job: Job) -> Run:
    return RunFactory(job=job, started=True, stage="writing")


def poll(client: Client, job: Job, **seen: object) -> object:
    headers = HTMX | {"HX-Current-URL": f"http://testserver/jobs/{job.pk}/"}
    return client.get(f"/jobs/{job.pk}/progress?{urlencode(seen)}", headers=headers)


class TestNothingNew:
    def test_is_an_empty_204(self, as_alice: Client, job: Job, run: Run) -> None:
        response = poll(as_alice, job, cursor="5.0")
        assert (response.status_code, response.content) == (204, b"")

    def test_costs_three_queries(self, as_alice: Client, job: Job, run: Run, django_assert_num_queries: object) -> None:
        for index in range(4):
            crashed(run, index)
        with django_assert_num_queries(3):
            poll(as_alice, job, cursor="5.0")

    def test_of_a_job_that_is_over_stops_the_asking(self, as_alice: Client, job: Job) -> None:
        finished(job)
        assert poll(as_alice, job, cursor="5.0").status_code == 286


class TestSomethingNew:
    def test_is_a_part_of_the_page(self, as_alice: Client, job: Job, run: Run) -> None:
        response = poll(as_alice, job, cursor="4.0", run=1, cards=0, picture="coming")
        part = response.content.decode()
        assert response.status_code == 200
        assert "<html" not in part
        assert '<p id="stage" hx-swap-oob="innerHTML">Writing the program · try 1</p>' in part
        assert "cursor=5.0&amp;run=1&amp;cards=0&amp;picture=coming" in part
        assert "<title>Working … a dot moves to the right · Proofreel</title>" in part

    def test_costs_four_queries_however_much_there_is(
        self, as_alice: Client, job: Job, run: Run, django_assert_num_queries: object
    ) -> None:
        for index in range(6):
            drawn(run, index)
        with django_assert_num_queries(4):
            poll(as_alice, job, cursor="4.0")

    def test_holds_only_the_tries_that_the_page_has_not(self, as_alice: Client, job: Job, run: Run) -> None:
        for index in range(3):
            crashed(run, index)
        part = poll(as_alice, job, cursor="4.0", run=1, cards=2, picture="coming").content.decode()
        assert '<ol hx-swap-oob="beforeend:#tries">' in part
        assert 'id="try-3"' in part
        assert 'id="try-2"' not in part
        assert "Tried again because of try 2" in part

    def test_leaves_the_player_alone_unless_there_is_another_picture(
        self, as_alice: Client, job: Job, run: Run
    ) -> None:
        row = drawn(run, 0)
        fresh = poll(as_alice, job, cursor="4.0", run=1, cards=0, picture="coming").content.decode()
        assert 'id="player" hx-swap-oob="innerHTML"' in fresh
        known = poll(as_alice, job, cursor="4.0", run=1, cards=1, picture=row.video.name).content.decode()
        assert 'id="player"' not in known
        assert 'id="stage"' in known

    def test_is_noticed_when_only_the_place_in_the_queue_has_changed(self, as_alice: Client, alice: User) -> None:
        job = JobFactory(owner=alice)
        ahead = RunFactory(queued_at=timezone.now() - timedelta(minutes=1))
        RunFactory(job=job)
        assert poll(as_alice, job, cursor="1.1").status_code == 204
        ahead.delete()
        response = poll(as_alice, job, cursor="1.1", run=1)
        assert response.status_code == 200
        assert "you are next" in response.content.decode()

    @pytest.mark.parametrize(
        "seen",
        [{}, {"cursor": "\x00"}, {"cursor": "x" * 5000}, {"cards": "-1"}, {"cards": "9" * 50}, {"cards": "٣"}],
    )
    def test_nonsense_gets_everything(self, as_alice: Client, job: Job, run: Run, seen: dict[str, str]) -> None:
        crashed(run, 0)
        part = poll(as_alice, job, **seen)
        assert part.status_code == 200
        assert 'id="try-1"' in part.content.decode()


class TestTheEnd:
    def test_is_told_once_and_stops_the_asking(self, as_alice: Client, job: Job) -> None:
        drawn(finished(job))
        response = poll(as_alice, job, cursor="4.0", run=1, cards=0, picture="coming")
        part = response.content.decode()
        assert response.status_code == 286
        assert "hx-trigger" not in part
        assert "✓ a dot moves" in part
        assert 'id="retry"' in part

    def test_replaces_the_words_that_a_draft_will_come(self, as_alice: Client, job: Job) -> None:
        finished(job, video=False, status=Status.FAILED, outcome="failed", best_iteration=None)
        part = poll(as_alice, job, cursor="4.0", run=1, cards=0, picture="coming").content.decode()
        assert "There is no video." in part
        assert '<p id="no-tries" hx-swap-oob="innerHTML">Nothing was tried.</p>' in part

    def test_another_attempt_from_another_tab_loads_the_page_anew(self, as_alice: Client, job: Job) -> None:
        finished(job)
        RunFactory(job=job, number=2)
        Job.objects.update(status=Status.QUEUED, version=9)
        response = poll(as_alice, job, cursor="5.0", run=1)
        assert response["HX-Refresh"] == "true"


class TestWhoMayAsk:
    def test_its_owner_only(self, as_charlie: Client, as_dave: Client, job: Job, run: Run) -> None:
        for client in (as_charlie, as_dave):
            assert poll(client, job).status_code == 404

    def test_somebody_whose_session_has_ended_signs_in_and_comes_back(
        self, anonymous: Client, job: Job, run: Run
    ) -> None:
        response = poll(anonymous, job)
        assert response["HX-Redirect"] == f"/sign-in/?next=/jobs/{job.pk}/"

    def test_it_is_only_read(self, as_alice: Client, job: Job) -> None:
        assert as_alice.post(f"/jobs/{job.pk}/progress").status_code == 405
