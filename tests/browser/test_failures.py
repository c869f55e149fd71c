"""What a person sees when it does not work out."""

import time
from collections.abc import Callable

import pytest
from django.contrib.sessions.models import Session
from factories import PASSWORD, EndpointFactory
from playwright.sync_api import Page, expect
from programs import MOVING, answer
from pytest_django.live_server_helper import LiveServer

from webapp.core.models import User
from webapp.jobs.models import Job

PROMPT = "Show a yellow dot that moves to the right"


def ask(page: Page, prompt: str = PROMPT) -> None:
    page.goto("/")
    page.get_by_label("What should the animation show").fill(prompt)
    page.get_by_role("button", name="Make the animation").click()


def test_a_model_that_gives_no_code_is_said_in_plain_words_and_can_be_tried_again(
    page: Page, alice: User, signed_in: Callable[[User], None], answers: Callable[..., None]
) -> None:
    answers(*["I would rather not."] * 20)
    signed_in(alice)
    ask(page)
    expect(page.get_by_role("button", name="Try again")).to_be_visible(timeout=60_000)
    expect(page.locator("#why")).to_be_visible()
    expect(page.locator("#tries > li").first).to_contain_text("no program")
    expect(page.locator("video")).to_have_count(0)
    expect(page.locator("#player")).to_contain_text("There is no video")
    for word in ("Traceback", "Exception", "None", "no_code"):
        expect(page.locator("main")).not_to_contain_text(word)
    page.get_by_role("button", name="Try again").click()
    expect(page.get_by_text("Attempt 1")).to_be_visible()


def test_cancel_stops_a_model_in_the_middle_of_its_answer(
    page: Page, alice: User, signed_in: Callable[[User], None], answers: Callable[..., None]
) -> None:
    answers({"content": answer(MOVING), "delay_s": 120})
    signed_in(alice)
    ask(page)
    expect(page.locator("#stage")).to_contain_text("riting", timeout=20_000)
    started = time.monotonic()
    page.get_by_role("button", name="Cancel").click()
    expect(page.get_by_role("button", name="Try again")).to_be_visible()
    assert time.monotonic() - started < 10
    assert Job.objects.get().status == "canceled"


def test_what_was_typed_survives_a_session_that_has_ended(
    page: Page, alice: User, signed_in: Callable[[User], None]
) -> None:
    EndpointFactory()
    signed_in(alice)
    page.goto("/")
    page.get_by_label("What should the animation show").fill(PROMPT)
    Session.objects.all().delete()
    page.get_by_role("button", name="Make the animation").click()
    page.get_by_label("Name").fill(alice.username)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_label("What should the animation show")).to_have_value(PROMPT)


HOSTILE = ["<script>document.title = 'taken'</script> a dot", "<img src=x onerror=alert(1)> a dot", "🟡 a \u202edot"]


@pytest.mark.parametrize("prompt", HOSTILE)
def test_hostile_text_is_only_text(
    page: Page, alice: User, signed_in: Callable[[User], None], answers: Callable[..., None], prompt: str
) -> None:
    answers(*["</script><script>document.title = 'taken'</script><b id='bold'>no code</b>"] * 20)
    signed_in(alice)
    dialogs: list[str] = []
    page.on("dialog", lambda dialog: (dialogs.append(dialog.message), dialog.dismiss()))
    ask(page, prompt)
    expect(page.get_by_role("button", name="Try again")).to_be_visible(timeout=60_000)
    assert page.locator("h1").inner_text().strip() == prompt
    assert page.locator("#bold").count() == 0
    assert dialogs == []
    assert "taken" not in page.title().replace(prompt, "")


def test_a_server_that_is_away_is_said_quietly_and_forgotten_when_it_is_back(
    page: Page, alice: User, signed_in: Callable[[User], None], live_server: LiveServer
) -> None:
    EndpointFactory()
    signed_in(alice)
    ask(page)
    expect(page.locator("#stage")).to_be_visible()
    page.context.set_offline(True)
    expect(page.get_by_text("Connection lost")).to_be_visible()
    page.context.set_offline(False)
    expect(page.get_by_text("Connection lost")).to_be_hidden()
