"""The front page: asking."""

import re
import uuid

import pytest
from django.test import Client
from factories import PASSWORD, JobFactory, RunFactory

from agent.config import AgentConfig
from agent.prompt_check import MAX_PROMPT_CHARACTERS
from agent.types import StrategyName
from webapp.core.models import User
from webapp.endpoints.models import Endpoint
from webapp.jobs.example_prompts import EXAMPLE_PROMPTS
from webapp.jobs.models import Job

pytestmark = pytest.mark.usefixtures("queue")
TEXT = "a dot moves to the right"
HOSTILE = "<script>alert(1)</script> & \u202egnol 🎉"


def typed_text(page: str) -> str:
    """What the box holds."""
    box = re.search(r"<textarea[^>]*>\n?(.*?)</textarea>", page, re.DOTALL)
    assert box
    return box[1]


class TestTheForm:
    def test_is_empty_and_offers_six_examples(self, as_alice: Client, endpoint: Endpoint) -> None:
        page = as_alice.get("/").content.decode()
        assert typed_text(page).strip() == ""
        assert page.count("?example=") == len(EXAMPLE_PROMPTS) == 6

    @pytest.mark.parametrize("number", range(1, 7))
    def test_an_example_fills_the_box_without_a_script(self, as_alice: Client, endpoint: Endpoint, number: int) -> None:
        page = as_alice.get(f"/?example={number}").content.decode()
        assert typed_text(page) == EXAMPLE_PROMPTS[number - 1]

    @pytest.mark.parametrize("number", ["0", "7", "-1", "x", "٣", "99999999999999999999"])
    def test_an_example_that_is_none_fills_nothing(self, as_alice: Client, endpoint: Endpoint, number: str) -> None:
        assert typed_text(as_alice.get("/", {"example": number}).content.decode()).strip() == ""

    def test_says_when_there_is_no_model(self, as_alice: Client) -> None:
        page = as_alice.get("/").content.decode()
        assert "tell whoever looks after this server" in page
        assert "LLM_BASE_URL" not in page

    def test_tells_staff_what_to_do_about_it(self, as_alice: Client, alice: User) -> None:
        User.objects.filter(pk=alice.pk).update(is_staff=True)
        assert "set LLM_BASE_URL" in as_alice.get("/").content.decode()


class TestAskingInOtherWords:
    def test_begins_with_the_words_and_options_of_a_job(self, as_alice: Client, alice: User) -> None:
        job = JobFactory(owner=alice, text="a dot <moves>")
        config = AgentConfig(strategy=StrategyName.RITL, repairs=1).model_dump(mode="json")
        RunFactory(job=job, strategy="ritl", config=config, prompt={"text": job.text, "quality": "480p15"})
        page = as_alice.get("/", {"again": job.pk}).content.decode()
        assert typed_text(page) == "a dot &lt;moves&gt;"
        for chosen in ('value="480p15" selected', 'value="ritl" selected', 'name="repairs" value="1"'):
            assert chosen in page

    def test_never_with_those_of_somebody_else(self, as_charlie: Client, alice: User) -> None:
        job = RunFactory(job__owner=alice).job
        assert typed_text(as_charlie.get("/", {"again": job.pk}).content.decode()).strip() == ""

    @pytest.mark.parametrize("again", ["", "x", "\x00", "604bb835-5b47-453e-8f00-f48cc6381d0c"])
    def test_nonsense_fills_nothing(self, as_alice: Client, again: str) -> None:
        assert typed_text(as_alice.get("/", {"again": again}).content.decode()).strip() == ""


class TestAsking:
    def test_makes_a_job_and_leads_to_it(self, as_alice: Client, alice: User, endpoint: Endpoint) -> None:
        response = as_alice.post("/", {"text": TEXT})
        job = Job.objects.get()
        assert (job.owner, job.text) == (alice, TEXT)
        assert response["Location"] == f"/jobs/{job.pk}/"

    def test_every_option_has_a_default(self, as_alice: Client, endpoint: Endpoint) -> None:
        as_alice.post("/", {"text": TEXT})
        run = Job.objects.get().runs.get()
        assert run.prompt["quality"] == "720p30"
        assert run.prompt["motion"] == "animated"  # auto, decided from the words
        assert (run.config["strategy"], run.config["repairs"]) == ("full", 3)

    def test_options_reach_the_run(self, as_alice: Client, endpoint: Endpoint) -> None:
        options = {"motion": "still", "quality": "480p15", "strategy": "ritl", "repairs": "0"}
        as_alice.post("/", {"text": TEXT, **options})
        run = Job.objects.get().runs.get()
        assert (run.prompt["motion"], run.prompt["quality"]) == ("still", "480p15")
        assert (run.strategy, run.config["repairs"]) == ("ritl", 0)

    def test_line_ends_of_browsers_count_once(self, as_alice: Client, endpoint: Endpoint) -> None:
        as_alice.post("/", {"text": "a dot\r\nmoves" + "\r\n" * (MAX_PROMPT_CHARACTERS - 11)})
        assert Job.objects.get().text.startswith("a dot\nmoves")

    def test_hostile_text_is_kept_and_shown_as_text(self, as_alice: Client, endpoint: Endpoint) -> None:
        page = as_alice.post("/", {"text": HOSTILE}, follow=True).content.decode()
        assert Job.objects.get().text == HOSTILE
        assert "<script>alert" not in page
        assert "&lt;script&gt;alert(1)&lt;/script&gt; &amp; \u202egnol 🎉" in page


class TestWhatCannotBeAsked:
    @pytest.mark.parametrize(
        ("text", "said"),
        [
            ("", "The prompt is empty"),
            ("  \n ", "The prompt is empty"),
            ("x" * (MAX_PROMPT_CHARACTERS + 1), "4,001 characters and 4,000 are the most"),
            ("a dot\x00moves", "a character that is not text (U+0000 at position 6)"),
            ("🎉🎉", "The prompt holds no words"),
        ],
    )
    def test_a_bad_prompt_is_said_beside_the_box_and_kept(
        self, as_alice: Client, endpoint: Endpoint, text: str, said: str
    ) -> None:
        page = as_alice.post("/", {"text": text, "repairs": "5"}).content.decode()
        assert said in page
        assert typed_text(page) == text
        assert 'value="5"' in page
        assert not Job.objects.exists()

    def test_hostile_text_comes_back_as_text(self, as_alice: Client, endpoint: Endpoint) -> None:
        page = as_alice.post("/", {"text": "</textarea><script>alert(1)</script>\x00"}).content.decode()
        assert "<script>alert" not in page

    @pytest.mark.parametrize(
        "option", [{"motion": "wild"}, {"quality": "8k"}, {"strategy": "magic"}, {"repairs": "6"}, {"repairs": "-1"}]
    )
    def test_a_wrong_option_opens_the_options(
        self, as_alice: Client, endpoint: Endpoint, option: dict[str, str]
    ) -> None:
        page = as_alice.post("/", {"text": TEXT, **option}).content.decode()
        assert '<details class="options" open>' in page
        assert "errorlist" in page
        assert typed_text(page) == TEXT
        assert not Job.objects.exists()

    def test_without_a_model_the_text_is_kept(self, as_alice: Client) -> None:
        page = as_alice.post("/", {"text": TEXT}).content.decode()
        assert "No model is set up yet" in page
        assert typed_text(page) == TEXT
        assert not Job.objects.exists()


class TestAskingTwice:
    def test_the_same_form_makes_one_job(self, as_alice: Client, endpoint: Endpoint) -> None:
        form = {"text": TEXT, "submission": str(uuid.uuid4())}
        first, second = as_alice.post("/", form), as_alice.post("/", form)
        assert first["Location"] == second["Location"]
        assert Job.objects.get().runs.count() == 1

    def test_going_back_and_changing_the_text_asks_anew(self, as_alice: Client, endpoint: Endpoint) -> None:
        form = {"text": TEXT, "submission": str(uuid.uuid4())}
        as_alice.post("/", form)
        as_alice.post("/", form | {"text": "a square turns"})
        as_alice.post("/", form | {"quality": "1080p30"})
        assert Job.objects.count() == 3

    def test_two_people_with_the_same_form_have_a_job_each(
        self, as_alice: Client, as_charlie: Client, endpoint: Endpoint
    ) -> None:
        form = {"text": TEXT, "submission": str(uuid.uuid4())}
        for client in (as_alice, as_charlie):
            client.post("/", form)
        assert Job.objects.count() == 2

    def test_every_fresh_form_is_another_one(self, as_alice: Client, endpoint: Endpoint) -> None:
        forms = {re.search(r'name="submission" value="([^"]+)"', as_alice.get("/").content.decode())[1] for _ in "ab"}
        assert len(forms) == 2

    @pytest.mark.parametrize("submission", ["", "nonsense", "\x00", "1" * 5000])
    def test_without_a_sound_name_it_is_still_a_form(
        self, as_alice: Client, endpoint: Endpoint, submission: str
    ) -> None:
        as_alice.post("/", {"text": TEXT, "submission": submission})
        assert Job.objects.count() == 1


class TestSignedOut:
    def test_asking_leads_to_the_form_for_signing_in(self, anonymous: Client) -> None:
        assert anonymous.get("/")["Location"] == "/sign-in/?next=/"

    def test_what_was_typed_is_there_again_after_signing_in(
        self, anonymous: Client, alice: User, endpoint: Endpoint
    ) -> None:
        response = anonymous.post("/", {"text": HOSTILE, "quality": "1080p60"})
        assert not Job.objects.exists()
        page = anonymous.get(response["Location"]).content.decode()
        assert "what you wrote is there again" in page
        page = anonymous.post("/sign-in/", {"username": "alice", "password": PASSWORD, "next": "/"}, follow=True)
        assert typed_text(page.content.decode()) == "&lt;script&gt;alert(1)&lt;/script&gt; &amp; \u202egnol 🎉"
        assert '<option value="1080p60" selected>' in page.content.decode()

    def test_it_stays_until_it_was_asked(self, anonymous: Client, alice: User, endpoint: Endpoint) -> None:
        anonymous.post("/", {"text": TEXT})
        anonymous.force_login(alice)
        for _ in "ab":
            assert typed_text(anonymous.get("/").content.decode()) == TEXT
        anonymous.post("/", {"text": TEXT})
        assert typed_text(anonymous.get("/").content.decode()).strip() == ""

    def test_strangers_cannot_fill_the_database(self, anonymous: Client) -> None:
        anonymous.post("/", {"text": "x" * 2_000_000})
        assert len(anonymous.session["kept_prompt"]["text"]) == 20_000


class TestRoles:
    def test_annotators_learn_what_their_account_is_for(self, as_bob: Client, endpoint: Endpoint) -> None:
        for response, status in ((as_bob.get("/"), 200), (as_bob.post("/", {"text": TEXT}), 403)):
            assert response.status_code == status
            assert "for judging animations" in response.content.decode()
            assert 'id="sign-out"' in response.content.decode()
        assert "Nothing is waiting for your judgement right now" in as_bob.get("/").content.decode()
        assert not Job.objects.exists()

    def test_admins_may_ask(self, as_dave: Client, endpoint: Endpoint) -> None:
        assert as_dave.post("/", {"text": TEXT}).status_code == 302

    def test_other_methods_are_refused(self, as_alice: Client) -> None:
        assert as_alice.delete("/").status_code == 405
