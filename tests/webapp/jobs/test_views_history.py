"""History: finding again what was asked for."""

import re
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone
from factories import JobFactory, RunFactory
from pictured import crashed, drawn, finished

from webapp.core.models import User
from webapp.jobs.models import Job, Status

HTMX = {"HX-Request": "true"}


def texts(response: object) -> list[str]:
    """The prompts on the page, in order."""
    return re.findall(r'class="tile-text" dir="auto">([^<]*)<', response.content.decode())


def asked(owner: User, *prompts: str, **fields: object) -> list[Job]:
    """Jobs with these prompts, the first one asked last."""
    now = timezone.now()
    return [
        JobFactory(owner=owner, text=text, created_at=now - timedelta(minutes=minute), **fields)
        for minute, text in enumerate(prompts)
    ]


class TestWhatIsListed:
    def test_own_jobs_newest_first(self, as_alice: Client, alice: User, charlie: User) -> None:
        asked(alice, "third", "second", "first")
        asked(charlie, "not yours")
        assert texts(as_alice.get("/jobs/")) == ["third", "second", "first"]

    def test_each_with_its_picture_and_how_it_stands(self, as_alice: Client, alice: User) -> None:
        job = asked(alice, "a dot")[0]
        run = finished(job, best_iteration=1)
        drawn(run, 0)
        drawn(run, 1)
        drawn(run, 2)
        page = as_alice.get("/jobs/").content.decode()
        assert f'<img src="/runs/{run.pk}/1/poster.png"' in page
        assert 'chip-finished">Finished<' in page

    def test_the_picture_is_of_the_latest_attempt_that_has_one(self, as_alice: Client, alice: User) -> None:
        job = asked(alice, "a dot")[0]
        first = finished(job)
        drawn(first, 0)
        second = finished(job, number=2)
        drawn(second, 3)
        crashed(RunFactory(job=job, number=3), 0)
        assert f"/runs/{second.pk}/3/poster.png" in as_alice.get("/jobs/").content.decode()

    def test_one_with_open_issues_says_so(self, as_alice: Client, alice: User) -> None:
        finished(asked(alice, "a dot")[0], outcome="best_effort")
        assert "Finished with open issues" in as_alice.get("/jobs/").content.decode()

    def test_hostile_prompts_are_text(self, as_alice: Client, alice: User) -> None:
        asked(alice, "<script>alert(1)</script>")
        assert "<script>alert" not in as_alice.get("/jobs/").content.decode()

    def test_nothing_yet_leads_to_asking(self, as_alice: Client) -> None:
        assert '<a href="/">Ask for your first animation</a>' in as_alice.get("/jobs/").content.decode()

    def test_annotators_are_not_led_where_they_may_not_go(self, as_bob: Client) -> None:
        assert "Ask for your first" not in as_bob.get("/jobs/").content.decode()


class TestSearching:
    @pytest.mark.parametrize(
        ("words", "found"),
        [
            ("DOT", ["a red dot", "a dot"]),
            ("100%", ["fill 100% of it"]),
            ("%", ["fill 100% of it"]),
            ("_", ["x_1 and x_2"]),
            ("x_1", ["x_1 and x_2"]),
            ("\\", ["\\frac{1}{2}"]),
            ("'; drop table", []),
            ("  dot  ", ["a red dot", "a dot"]),
        ],
    )
    def test_words_mean_themselves(self, as_alice: Client, alice: User, words: str, found: list[str]) -> None:
        asked(alice, "a red dot", "fill 100% of it", "x_1 and x_2", "x11 and 100", "\\frac{1}{2}", "a dot")
        assert texts(as_alice.get("/jobs/", {"q": words})) == found

    def test_by_status(self, as_alice: Client, alice: User) -> None:
        asked(alice, "one", status=Status.FAILED)
        asked(alice, "two", status=Status.FINISHED)
        assert texts(as_alice.get("/jobs/", {"status": "failed"})) == ["one"]
        assert texts(as_alice.get("/jobs/", {"status": "failed", "q": "two"})) == []

    @pytest.mark.parametrize(
        "query", [{"q": "a\x00b"}, {"q": "x" * 201}, {"status": "nonsense"}, {"page": "x"}, {"page": "0"}]
    )
    def test_nonsense_lists_everything(self, as_alice: Client, alice: User, query: dict[str, str]) -> None:
        asked(alice, "one")
        assert texts(as_alice.get("/jobs/", query)) == ["one"]

    def test_nothing_found_leads_back(self, as_alice: Client, alice: User) -> None:
        asked(alice, "one")
        assert "Show everything" in as_alice.get("/jobs/", {"q": "zwei"}).content.decode()

    def test_while_typing_only_the_results_are_sent(self, as_alice: Client, alice: User) -> None:
        asked(alice, "one")
        response = as_alice.get("/jobs/", {"q": "one"}, headers=HTMX)
        assert texts(response) == ["one"]
        assert "<html" not in response.content.decode()
        assert 'id="results"' in response.content.decode()

    def test_the_two_answers_are_not_mixed_up_by_caches(self, as_alice: Client) -> None:
        for headers in ({}, HTMX):
            assert "HX-Request" in as_alice.get("/jobs/", headers=headers)["Vary"]

    def test_going_back_gets_the_whole_page(self, as_alice: Client) -> None:
        headers = HTMX | {"HX-History-Restore-Request": "true"}
        assert "<html" in as_alice.get("/jobs/", headers=headers).content.decode()


class TestPages:
    def test_hold_twenty_four_each_and_keep_the_search(self, as_alice: Client, alice: User) -> None:
        asked(alice, *(f"dot {number}" for number in range(30)), "a square")
        first = as_alice.get("/jobs/", {"q": "dot"})
        assert len(texts(first)) == 24
        assert '<a rel="next" href="?q=dot&amp;page=2">' in first.content.decode()
        second = as_alice.get("/jobs/", {"q": "dot", "page": "2"})
        assert texts(second) == [f"dot {number}" for number in range(24, 30)]
        assert texts(as_alice.get("/jobs/", {"q": "dot", "page": "99"})) == texts(second)

    def test_their_queries_do_not_grow(self, as_alice: Client, alice: User, django_assert_num_queries: object) -> None:
        drawn(finished(asked(alice, "one")[0]))
        with django_assert_num_queries(6):
            as_alice.get("/jobs/")
        for job in asked(alice, *"abcdefgh"):
            drawn(finished(job))
        with django_assert_num_queries(6):
            as_alice.get("/jobs/")


def test_strangers_sign_in_first(anonymous: Client) -> None:
    assert anonymous.get("/jobs/?q=x")["Location"] == "/sign-in/?next=/jobs/%3Fq%3Dx"


def test_it_is_only_read(as_alice: Client) -> None:
    assert as_alice.post("/jobs/").status_code == 405
