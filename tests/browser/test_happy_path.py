"""A person comes in, asks, watches, and finds it again."""

import re
from collections.abc import Callable

import pytest
from factories import PASSWORD
from playwright.sync_api import Page, expect
from programs import CRASHES, MOVING, answer

from webapp.core.models import User
from webapp.jobs.models import Job

PROMPT = "Show a yellow dot that moves to the right"
SEEKS = """async (video) => {
    await new Promise((done) => { video.onseeked = done; video.currentTime = video.duration / 2; });
    return [video.duration, video.currentTime, video.seekable.end(0)];
}"""


@pytest.fixture
def ask(page: Page) -> Callable[[str], None]:
    """Type a prompt and send it; the draft's quality is what is delivered, so that a test is quick."""

    def ask(prompt: str) -> None:
        page.goto("/")
        page.get_by_label("What should the animation show").fill(prompt)
        page.get_by_text("Options").click()
        page.get_by_label("Quality").select_option("480p15")
        page.get_by_role("button", name="Make the animation").click()

    return ask


def test_asking_watching_and_finding_it_again(
    page: Page, alice: User, answers: Callable[..., None], ask: Callable[[str], None]
) -> None:
    answers(answer(CRASHES), answer(MOVING))
    page.goto("/")
    page.get_by_label("Name").fill(alice.username)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    ask(PROMPT)

    expect(page.get_by_role("heading", name=PROMPT)).to_be_visible()
    expect(page.get_by_role("button", name="Try again")).to_be_visible(timeout=60_000)
    duration, position, seekable = page.locator("#video").evaluate(SEEKS)
    assert duration == pytest.approx(0.4, abs=0.15)
    assert position == pytest.approx(duration / 2, abs=0.05)
    assert seekable == pytest.approx(duration, abs=0.05)
    expect(page).to_have_title(re.compile("^✓"))

    tries = page.locator("#tries > li")
    expect(tries).to_have_count(2)
    expect(tries.first).to_contain_text("ShowCreation")
    expect(tries.last).to_contain_text("runs and moves")
    tries.last.get_by_text("Program", exact=True).click()
    expect(tries.last.get_by_text("self.play(dot.animate")).to_be_visible()

    address = page.url
    page.reload()
    expect(page.locator("#video")).to_be_visible()
    page.get_by_role("link", name="History").click()
    page.get_by_label("Search").fill("yellow")
    page.get_by_role("link", name=PROMPT).click()
    assert page.url == address


def test_a_video_that_plays_is_not_interrupted_by_what_comes_in(
    page: Page, alice: User, signed_in: Callable[[User], None], answers: Callable[..., None], ask: Callable[[str], None]
) -> None:
    answers(answer(CRASHES), {"content": answer(MOVING), "delay_s": 4})
    signed_in(alice)
    ask(PROMPT)
    first = page.locator("#tries > li").first
    expect(first).to_be_visible(timeout=30_000)
    first.get_by_text("Last lines of the error").click()
    first.evaluate("(card) => { card.dataset.seen = 'yes'; }")
    expect(page.get_by_role("button", name="Try again")).to_be_visible(timeout=60_000)
    expect(first).to_have_attribute("data-seen", "yes")
    expect(first.locator("pre.trace")).to_be_visible()


def test_a_second_tab_shows_the_same(
    page: Page, alice: User, signed_in: Callable[[User], None], answers: Callable[..., None], ask: Callable[[str], None]
) -> None:
    answers({"content": answer(MOVING), "delay_s": 2})
    signed_in(alice)
    ask(PROMPT)
    page.wait_for_url("**/jobs/*/")
    other = page.context.new_page()
    other.goto(page.url)
    for tab in (page, other):
        expect(tab.get_by_role("button", name="Try again")).to_be_visible(timeout=60_000)
        expect(tab.locator("#video")).to_be_visible()
    assert Job.objects.count() == 1


def test_pressing_the_button_twice_asks_once(
    page: Page, alice: User, signed_in: Callable[[User], None], answers: Callable[..., None]
) -> None:
    answers(answer(MOVING))
    signed_in(alice)
    page.goto("/")
    page.get_by_label("What should the animation show").fill(PROMPT)
    page.get_by_role("button", name="Make the animation").dblclick()
    page.wait_for_url("**/jobs/*/")
    assert Job.objects.count() == 1
