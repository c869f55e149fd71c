"""The page of a Job."""

import re
import uuid
from datetime import timedelta

import pytest
from django.core.files.storage import default_storage
from django.test import Client
from django.utils import timezone
from factories import IterationFactory, JobFactory, RunFactory
from pictured import crashed, drawn, finished, issue

from agent.types import ErrorKind, Severity
from webapp.core.models import User
from webapp.jobs import words
from webapp.jobs.models import Call, Job, Run, Status

SCRIPT = "<script>alert(1)</script>"


@pytest.fixture
def job(alice: User) -> Job:
    return JobFactory(owner=alice, text="a dot moves")


def text_of(page: str, element: str) -> str:
    """The words inside the element with that id, up to the end of its section."""
    found = re.search(rf'id="{element}".*?</(?:p|div|section|li|ol)>', page, re.DOTALL)
    assert found, f"nothing with the id {element}"
    return " ".join(re.sub("<[^>]+>", " ", "<" + found.group()).split())


def buttons(page: str) -> list[tuple[str, bool]]:
    """What can be downloaded, and whether its button stands out."""
    found = re.findall(r'<a class="button( primary)?" href="[^"]+" download>([^<]+)<', page)
    return [(label, bool(primary)) for primary, label in found]


def page_of(client: Client, job: Job, query: str = "") -> str:
    response = client.get(f"/jobs/{job.pk}/{query}")
    assert response.status_code == 200
    return response.content.decode()


class TestWhoMaySeeIt:
    def test_its_owner(self, as_alice: Client, job: Job) -> None:
        RunFactory(job=job)
        assert "a dot moves" in page_of(as_alice, job)

    def test_nobody_else_not_even_an_admin(self, as_charlie: Client, as_bob: Client, as_dave: Client, job: Job) -> None:
        RunFactory(job=job)
        for client in (as_charlie, as_bob, as_dave):
            response = client.get(f"/jobs/{job.pk}/")
            assert response.status_code == 404
            assert "a dot moves" not in response.content.decode()

    def test_strangers_sign_in_first(self, anonymous: Client, job: Job) -> None:
        assert anonymous.get(f"/jobs/{job.pk}/")["Location"] == f"/sign-in/?next=/jobs/{job.pk}/"

    def test_what_is_not_there_looks_the_same(self, as_alice: Client) -> None:
        assert as_alice.get(f"/jobs/{uuid.uuid4()}/").status_code == 404
        assert as_alice.get("/jobs/nonsense/").status_code == 404

    def test_it_is_only_read(self, as_alice: Client, job: Job) -> None:
        assert as_alice.post(f"/jobs/{job.pk}/").status_code == 405


class TestWhileItWaits:
    def test_tells_how_many_are_ahead(self, as_alice: Client, job: Job) -> None:
        now = timezone.now()
        for minutes in (3, 2):
            RunFactory(queued_at=now - timedelta(minutes=minutes))
        RunFactory(job=job, queued_at=now - timedelta(minutes=1))
        RunFactory(queued_at=now)
        RunFactory(started=True, queued_at=now - timedelta(minutes=9))
        page = page_of(as_alice, job)
        assert "2 ahead of you" in text_of(page, "stage")
        assert "<title>Waiting … a dot moves · Proofreel</title>" in page

    def test_tells_who_is_next(self, as_alice: Client, job: Job) -> None:
        RunFactory(job=job)
        assert "you are next" in text_of(page_of(as_alice, job), "stage")

    def test_counts_the_seconds_since_it_was_asked(self, as_alice: Client, job: Job) -> None:
        RunFactory(job=job, queued_at=timezone.now() - timedelta(seconds=125))
        page = page_of(as_alice, job)
        assert text_of(page, "elapsed").endswith("2 min 05 s")
        assert re.search(r'data-elapsed="12[5-9]\.\d"', page)

    def test_tells_what_is_down_and_when_it_is_tried_again(self, as_alice: Client, job: Job) -> None:
        RunFactory(
            job=job,
            not_before=timezone.now() + timedelta(seconds=45),
            outages=1,
            message=f"The model server at http://10.0.0.3/v1 cannot be reached. {SCRIPT}",
        )
        page = page_of(as_alice, job)
        assert "Waiting to try again" in text_of(page, "stage")
        assert "cannot be reached" in text_of(page, "outage")
        assert re.search(r'data-countdown="4[45]\.\d"', page)
        assert SCRIPT not in page


class TestWhileItIsWorkedOn:
    @pytest.mark.parametrize(
        ("stage", "said"),
        [
            ("queued", "Starting"),
            ("waiting_for_processor", "Waiting for a free processor · try 2"),
            ("writing", "Writing the program · try 2"),
            ("drafting", "Drawing a draft · try 2"),
            ("finishing", "Rendering the final video"),
            ("a_later_stage", "a_later_stage · try 2"),
        ],
    )
    def test_tells_the_stage_in_words(self, as_alice: Client, job: Job, stage: str, said: str) -> None:
        run = RunFactory(job=job, started=True, stage=stage)
        crashed(run)
        Job.objects.update(status=Status.STARTED)
        page = page_of(as_alice, job)
        assert text_of(page, "stage").endswith(said)
        assert "<title>Working … a dot moves" in page

    def test_the_bar_only_moves_forward(self, as_alice: Client, job: Job) -> None:
        run = RunFactory(job=job)
        seen = []

        def look(**changed: object) -> None:
            Run.objects.update(**changed)
            found = re.search(r'id="progress" max="100" value="(\d+)"', page_of(as_alice, job))
            assert found
            seen.append(int(found[1]))

        look()
        look(status=Status.STARTED, lease=uuid.uuid4(), stage="writing")
        look(stage="drafting")
        look(stage="waiting_for_processor", stage_detail="drafting")
        crashed(run)
        look(stage="writing")
        look(stage="drafting")
        look(stage="finishing")
        assert seen[2] == seen.pop(3)
        assert seen == sorted(set(seen))
        assert (seen[0], seen[-1] < 100) == (0, True)

    def test_shows_the_best_draft_so_far(self, as_alice: Client, job: Job) -> None:
        run = RunFactory(job=job, started=True, stage="writing")
        drawn(run, 0, issue("one"), issue("two"))
        drawn(run, 1, issue("one"))
        drawn(run, 2, issue("another"))
        crashed(run, 3)
        page = page_of(as_alice, job)
        assert f'id="video" controls playsinline preload="metadata" src="/runs/{run.pk}/1/video.mp4"' in page
        assert f'poster="/runs/{run.pk}/1/poster.png"' in page
        assert "The best so far: the draft of try 2." in page

    def test_asks_for_changes_every_second(self, as_alice: Client, job: Job) -> None:
        RunFactory(job=job, started=True)
        page = page_of(as_alice, job)
        assert 'hx-trigger="every 1s"' in page
        assert f'hx-get="/jobs/{job.pk}/progress?cursor=1.0&amp;run=1&amp;cards=0&amp;picture=coming"' in page
        assert '<noscript><meta http-equiv="refresh" content="5"></noscript>' in page

    def test_can_be_canceled(self, as_alice: Client, job: Job) -> None:
        RunFactory(job=job, started=True)
        assert 'id="cancel"' in page_of(as_alice, job)
        Run.objects.update(stop_requested_at=timezone.now())
        page = page_of(as_alice, job)
        assert '<button id="cancel" disabled>Stopping …</button>' in page
        assert text_of(page, "stage").endswith("Stopping")


class TestWhenItIsOver:
    def test_the_video_stands_at_the_centre(self, as_alice: Client, job: Job) -> None:
        run = finished(job, message="It is drawn, and it moves as asked.")
        drawn(run)
        page = page_of(as_alice, job)
        assert f'src="/runs/{run.pk}/video.mp4"' in page
        assert f'href="/runs/{run.pk}/video.mp4?download"' in page
        assert f'href="/runs/{run.pk}/scene.py?download"' in page
        assert "<title>✓ a dot moves" in page
        assert "hx-trigger" not in page.split('id="poll"')[1].split(">")[0]

    def test_a_still_is_a_picture(self, as_alice: Client, job: Job) -> None:
        run = finished(job)
        Run.objects.update(final_still=run.final_video, prompt={**run.prompt, "motion": "still"})
        drawn(run, still=run.final_video.name)
        page = page_of(as_alice, job)
        assert ">drawn</span>" in page
        assert f'<img id="still" src="/runs/{run.pk}/still.png"' in page
        assert buttons(page) == [
            ("Download the picture", True),
            ("Download the video", False),
            ("Download the program", False),
        ]

    def test_open_issues_are_told(self, as_alice: Client, job: Job) -> None:
        run = finished(job, outcome="best_effort", stop_reason="step_limit", message="Nothing passed every check.")
        drawn(
            run,
            0,
            issue(f"The text “{SCRIPT}” leaves the picture.", t_start=3.2, t_end=4.9, line=7),
            issue("The label is small.", Severity.WARNING, t_start=1.0),
            issue("It is a little slow.", Severity.NOTE),
        )
        page = page_of(as_alice, job)
        told = page.split('id="open-issues"')[1].split("</ul>")[0]
        assert "(line 7, from 0:03 to 0:04)" in told
        assert "(at 0:01)" in told
        assert "a little slow" not in told
        assert buttons(page)[0] == ("Download the video", False)
        assert "<title>! a dot moves" in page
        assert "each had an error" in text_of(page, "why")
        assert SCRIPT not in page
        assert "not everything is right" in text_of(page, "stage")

    @pytest.mark.parametrize(
        ("stop_reason", "message", "said"),
        [
            ("model_error", "The server refused the key.", ["This is not your prompt's fault", "refused the key"]),
            ("infrastructure", "The disk is full.", ["A part of this service failed", "The disk is full"]),
            ("crashed", "", ["The work broke off unexpectedly"]),
            ("time_limit", "", ["The time for this job was used up"]),
            ("repeated_error", "TypeError: x", ["more tries would not have helped", "TypeError: x"]),
            ("a_later_reason", "Something else.", ["Something else."]),
        ],
    )
    def test_a_failure_is_told_in_plain_words(
        self, as_alice: Client, job: Job, stop_reason: str, message: str, said: list[str]
    ) -> None:
        ended = {"status": Status.FAILED, "outcome": "failed", "stop_reason": stop_reason, "message": message}
        finished(job, video=False, best_iteration=None, **ended)
        page = page_of(as_alice, job).replace("&#x27;", "'")
        for sentence in said:
            assert sentence in page
        assert "There is no video." in page
        assert "<title>✗ a dot moves" in page
        assert 'id="retry"' in page
        assert f'href="/?again={job.pk}">Ask in other words' in page
        assert "Nothing was tried." in page

    def test_what_nobody_chose_is_not_told(self, as_alice: Client, job: Job) -> None:
        run = finished(job)
        assert "repairs at most" not in page_of(as_alice, job)
        Run.objects.update(config={**run.config, "repairs": 1}, prompt={**run.prompt, "quality": "480p15"})
        assert "UTC</time> · 480p · 1 repair at most" in " ".join(page_of(as_alice, job).split())

    def test_a_lost_file_is_told_instead_of_a_dead_player(self, as_alice: Client, job: Job) -> None:
        run = finished(job)
        drawn(run)
        default_storage.delete(run.final_video.name)
        page = page_of(as_alice, job)
        assert "The video file is gone" in page
        assert f"/runs/{run.pk}/video.mp4" not in page
        assert "Download the program" in page

    def test_numbers_of_the_whole_attempt(self, as_alice: Client, job: Job) -> None:
        run = finished(job, wall_s=93.24, render_s=14.0, versions={"manim": "0.22.0"}, seed=7)
        for index in (0, 1):
            Call.objects.create(
                run=run, index=index, role="write", iteration=index, messages=[], completion="", finish_reason="stop",
                input_tokens=1000, output_tokens=200, seconds=10.5, cost=0.25,
            )  # fmt: skip
        page = page_of(as_alice, job)
        for cell in ("93.2 s", "21.0 s", "14.0 s", "2,400", "$0.5000", "0.22.0"):
            assert f"<td>{cell}</td>" in page


class TestEveryTry:
    def test_is_a_card_in_order(self, as_alice: Client, job: Job) -> None:
        run = finished(job)
        crashed(run, 0, traceback_tail=f"  line 3\nNameError {SCRIPT}", line=1)
        drawn(run, 1, author="human", kind="edit")
        page = page_of(as_alice, job)
        assert page.index('id="try-1"') < page.index('id="try-2"')
        first, second = page.split('id="try-2"')
        assert "first version, by the model" in first
        assert "The program stopped with an error.</strong> See line 1" in first
        assert "NameError &lt;script&gt;" in first
        assert "edit, by you" in second
        assert "Tried again because of try 1: The program stopped with an error." in second
        assert ">runs and moves</span>" in second

    def test_does_not_say_where_this_is_installed(self, as_alice: Client, job: Job) -> None:
        tail = 'File "/srv/secret place/.venv/lib/python3.11/site-packages/manim/scene/scene.py", line 5, in play'
        crashed(finished(job), 0, traceback_tail=tail)
        page = page_of(as_alice, job).replace("&quot;", '"')
        assert 'File "manim/scene/scene.py", line 5, in play' in page
        assert "secret place" not in page

    @pytest.mark.parametrize("kind", ErrorKind)
    def test_says_every_kind_of_error_in_words(self, as_alice: Client, job: Job, kind: ErrorKind) -> None:
        run = finished(job)
        crashed(run, 0, kind, message="what the renderer said")
        card = page_of(as_alice, job).split('id="try-1"')[1].replace("&#x27;", "'")
        assert f"<strong>{words.ERRORS[kind]}.</strong>" in card
        assert "what the renderer said" in card

    def test_shows_its_program_highlighted_and_its_faulty_line(self, as_alice: Client, job: Job) -> None:
        run = finished(job)
        crashed(run, 0, line=1)
        page = page_of(as_alice, job)
        assert '<span class="hll"><span class="linenos">1</span><span class="kn">from</span>' in page
        assert "style=" not in page

    def test_shows_scores_and_why_some_are_missing(self, as_alice: Client, job: Job) -> None:
        run = finished(job)
        scores = [
            {"name": "render_ok", "value": 0.0, "explanation": "no_code: in the words of the program"},
            {"name": "tokens", "value": 1500, "explanation": "1200 read, 300 written"},
            {"name": "seconds", "value": 4.25, "explanation": ""},
            {"name": "cost", "value": 0.0, "explanation": ""},
            {"name": "checks_true", "value": None, "explanation": f"No checks were made. {SCRIPT}"},
            {"name": "a_later_score", "value": 0.125, "explanation": ""},
        ]
        drawn(run, scores=scores)
        page = page_of(as_alice, job)
        assert '<span class="quiet">1,500 tokens · 4.2 s</span>' in page
        assert "not scored: No checks were made. &lt;script&gt;" in page
        assert '<th scope="row">a_later_score</th><td>0.125' in page
        assert '<th scope="row">Drawn</th><td>no</td>' in page

    def test_everything_a_model_writes_is_text(self, as_alice: Client, alice: User) -> None:
        evil = f'"]</pre>{SCRIPT}\u202e🎉 {{{{ 7*7 }}}} {{% now %}}'
        job = JobFactory(owner=alice, text=evil)
        run = finished(job, outcome="best_effort", message=evil, model=evil, versions={evil: evil})
        IterationFactory(
            run=run,
            index=0,
            code=evil,
            render={"ok": False, "error_kind": "python", "message": evil, "traceback_tail": evil, "line": 99999},
            critique={
                "verdict": "repair",
                "issues": [{"kind": evil, "severity": "error", "source": "renderer", "message": evil + "!"}],
            },
            scores=[{"name": evil, "value": None, "explanation": evil}],
        )
        page = page_of(as_alice, job)
        assert SCRIPT not in page
        assert "</pre>&lt;script" not in page
        assert page.count("7*7") >= 8

    def test_direction_marks_in_errors_are_left_out(self, as_alice: Client, job: Job) -> None:
        run = finished(job)
        crashed(run, 0, message="abc\u202edef\x1b[31mred\x1b[0m")
        assert "abcdefred" in page_of(as_alice, job)

    def test_a_very_long_program_is_shown_plainly(self, as_alice: Client, job: Job) -> None:
        run = finished(job)
        IterationFactory(run=run, index=0, code="x = 1  # <b>\n" * 5000)
        page = page_of(as_alice, job)
        assert '<pre class="code" dir="ltr">x = 1  # &lt;b&gt;' in page

    def test_the_lines_of_a_program_are_counted_from_its_first(self, as_alice: Client, job: Job) -> None:
        run = finished(job)
        IterationFactory(run=run, index=0, code="\n\nx = 1\n")
        assert '<span class="linenos">3</span><span class="n">x</span>' in page_of(as_alice, job)

    @pytest.mark.parametrize("code", ["x = 1  # \u202e\x1b[31m\n", "x = 1  # \u202e\x1b[31m\n" * 5000])
    def test_what_is_invisible_in_a_program_is_made_visible(self, as_alice: Client, job: Job, code: str) -> None:
        IterationFactory(run=finished(job), index=0, code=code)
        page = page_of(as_alice, job)
        assert "# \\u202e\\u001b[31m" in page
        assert "\u202e" not in page


class TestTheWordsOfThePrompt:
    def test_choose_their_own_direction_and_wrap(self, as_alice: Client, job: Job) -> None:
        RunFactory(job=job)
        assert '<h1 class="prompt" dir="auto">a dot moves</h1>' in page_of(as_alice, job)

    @pytest.mark.parametrize(
        ("text", "is_long"), [("a dot moves", False), ("dots " * 50, True), ("a\nb\nc\nd\ne", True)]
    )
    def test_long_ones_are_whole_behind_a_fold(self, as_alice: Client, alice: User, text: str, is_long: bool) -> None:
        job = JobFactory(owner=alice, text=text)
        RunFactory(job=job)
        page = page_of(as_alice, job)
        assert ("The whole prompt" in page) == is_long
        assert ('class="prompt clamped"' in page) == is_long

    @pytest.mark.parametrize(("text", "script"), [("你好", "CJK"), ("دائرة", "Arabic"), ("Größe α Ж", None)])
    def test_a_script_that_cannot_be_drawn_is_told(
        self, as_alice: Client, alice: User, text: str, script: str | None
    ) -> None:
        job = JobFactory(owner=alice, text=text)
        RunFactory(job=job)
        page = page_of(as_alice, job)
        assert ("cannot draw" in page) == (script is not None)
        assert script is None or f"{script} letters" in page


class TestSeveralAttempts:
    @pytest.fixture
    def tried_twice(self, job: Job) -> Job:
        first = finished(job, status=Status.FAILED, outcome="failed", video=False, best_iteration=None)
        crashed(first, 0)
        RunFactory(job=job, number=2, started=True)
        Job.objects.update(status=Status.STARTED)
        return job

    def test_the_latest_is_shown_and_earlier_ones_stay_reachable(self, as_alice: Client, tried_twice: Job) -> None:
        page = page_of(as_alice, tried_twice)
        assert 'id="try-1"' not in page
        assert (
            f'<a href="/jobs/{tried_twice.pk}/?run=1">Attempt 1</a> <span class="quiet">No video came of this' in page
        )
        assert 'id="earlier-video"' not in page

    def test_a_video_of_an_earlier_one_is_not_hidden(self, as_alice: Client, job: Job) -> None:
        finished(job)
        RunFactory(job=job, number=2)
        page = page_of(as_alice, job)
        assert text_of(page, "earlier-video").endswith("Attempt 2. Attempt 1 has a video.")
        assert f'<a href="/jobs/{job.pk}/?run=1">Attempt 1 has a video.</a>' in page
        assert 'id="earlier-video"' not in page_of(as_alice, job, "?run=1")

    def test_an_earlier_one_is_whole_and_does_not_change(self, as_alice: Client, tried_twice: Job) -> None:
        page = page_of(as_alice, tried_twice, "?run=1")
        assert 'id="try-1"' in page
        assert "You are looking at attempt 1" in page
        assert "every 1s" not in page
        assert 'id="retry"' not in page

    @pytest.mark.parametrize("number", ["3", "0", "99999"])
    def test_one_that_is_not_there_is_not_there(self, as_alice: Client, tried_twice: Job, number: str) -> None:
        assert as_alice.get(f"/jobs/{tried_twice.pk}/?run={number}").status_code == 404

    def test_nonsense_shows_the_latest(self, as_alice: Client, tried_twice: Job) -> None:
        assert 'id="cancel"' in page_of(as_alice, tried_twice, "?run=x")


def test_its_queries_do_not_grow_with_its_tries(as_alice: Client, job: Job, django_assert_num_queries: object) -> None:
    run = finished(job)
    with django_assert_num_queries(7):
        page_of(as_alice, job)
    for index in range(8):
        crashed(run, index)
    with django_assert_num_queries(7):
        page_of(as_alice, job)
