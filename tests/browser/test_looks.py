"""Every page: readable for everybody, in both themes, on a phone and on a desk."""

from collections.abc import Callable

import pytest
from axe_playwright_python.sync_playwright import Axe
from factories import PASSWORD, EndpointFactory, IterationFactory, JobFactory, RunFactory
from playwright.sync_api import Browser, Page, expect
from pytest_django.live_server_helper import LiveServer

from webapp.core.models import User
from webapp.jobs.models import Iteration, Status

PAGES = ["/", "/jobs/", "/jobs/?q=nothing", "JOB", "/status/", "/invitations/", "/password/", "/no-such-page"]
OVERFLOW = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
WIDE_OR_NARROW = {"desk": {"width": 1280, "height": 900}, "phone": {"width": 390, "height": 844}}


@pytest.fixture
def job_address(dave: User) -> str:
    """A Job of dave's that failed, with everything long that can be on its page."""
    EndpointFactory()
    job = JobFactory(owner=dave, text="A very long word: " + "x" * 600, status=Status.FAILED)
    run = RunFactory(job=job, status=Status.FAILED, outcome="failed", stop_reason="step_limit", stage="done")
    render = {"ok": False, "error_kind": "python", "message": "y" * 300, "traceback_tail": "z" * 300, "line": 3}
    issue = {"kind": "python", "severity": "error", "source": "renderer", "message": "y" * 300}
    for index in range(2):
        IterationFactory(
            run=run,
            index=index,
            ok=False,
            error_kind="python",
            render=render,
            critique={"verdict": "repair", "issues": [issue]},
            code="from manim import *\n" + "a = " + "1" * 300 + "\n",
        )
    return f"/jobs/{job.pk}/"


def opened(page: Page, address: str, job_address: str) -> None:
    page.goto(job_address if address == "JOB" else address)
    page.evaluate("document.querySelectorAll('details').forEach((part) => { part.open = true; })")


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_no_page_has_a_serious_fault_of_accessibility(
    page: Page, dave: User, signed_in: Callable[[User], None], job_address: str, theme: str
) -> None:
    signed_in(dave)
    page.emulate_media(color_scheme=theme)
    faults = {}
    for address in PAGES:
        opened(page, address, job_address)
        found = Axe().run(page, options={"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"]})
        if found.violations_count:
            faults[address] = [(fault["id"], fault["nodes"][0]["html"][:200]) for fault in found.response["violations"]]
    assert faults == {}


@pytest.mark.parametrize("screen", WIDE_OR_NARROW)
def test_no_page_is_wider_than_its_screen(
    page: Page, dave: User, signed_in: Callable[[User], None], job_address: str, screen: str
) -> None:
    signed_in(dave)
    page.set_viewport_size(WIDE_OR_NARROW[screen])
    for address in PAGES:
        opened(page, address, job_address)
        assert page.evaluate(OVERFLOW) == 0, address


def test_a_long_prompt_is_cut_at_the_end_of_a_line(
    page: Page, dave: User, signed_in: Callable[[User], None], job_address: str
) -> None:
    signed_in(dave)
    page.set_viewport_size(WIDE_OR_NARROW["phone"])
    page.goto(job_address)
    height, line = page.locator("h1").evaluate("(it) => [it.clientHeight, parseFloat(getComputedStyle(it).lineHeight)]")
    assert height == pytest.approx(4 * line, abs=1)


def test_a_picture_whose_file_is_gone_leaves_a_sign(
    page: Page, dave: User, signed_in: Callable[[User], None], job_address: str
) -> None:
    Iteration.objects.filter(index=1).update(poster="runs/no-such-file.png")
    signed_in(dave)
    page.goto("/jobs/")
    expect(page.locator(".thumb .no-thumb")).to_be_visible()
    expect(page.locator(".thumb img")).to_have_count(0)


def test_who_asks_for_the_newer_video_has_the_keyboard_on_it(
    page: Page, dave: User, signed_in: Callable[[User], None], job_address: str
) -> None:
    signed_in(dave)
    page.goto(job_address)
    page.evaluate("""() => {
        document.getElementById("player").innerHTML = "<video controls></video>";
        document.querySelector("#player video").play().catch(() => {});
        const fragment = document.createElement("div");
        fragment.innerHTML = '<video id="video" controls></video>';
        const detail = { target: document.getElementById("player"), fragment };
        document.dispatchEvent(new CustomEvent("htmx:oobBeforeSwap", { detail, cancelable: true }));
    }""")
    page.get_by_role("button", name="Show it now").click()
    expect(page.locator("#video")).to_be_focused()


def test_fields_in_a_row_are_equally_high(page: Page, dave: User, signed_in: Callable[[User], None]) -> None:
    signed_in(dave)
    page.goto("/jobs/")
    heights = page.locator("#search input, #search select").evaluate_all("(all) => all.map((it) => it.offsetHeight)")
    assert len(set(heights)) == 1


def test_asking_works_with_the_keyboard_alone(page: Page, dave: User, signed_in: Callable[[User], None]) -> None:
    EndpointFactory()
    signed_in(dave)
    page.goto("/")
    page.keyboard.type("a dot moves")
    for _ in range(5):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.id") == "make":
            break
    outline = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
    assert outline != "none"
    page.keyboard.press("Enter")
    page.wait_for_url("**/jobs/*/")


def test_the_first_stop_of_the_keyboard_skips_the_menu(
    page: Page, dave: User, signed_in: Callable[[User], None]
) -> None:
    signed_in(dave)
    page.goto("/jobs/")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the content"
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "content"


def test_asking_and_watching_work_without_javascript(chromium: Browser, live_server: LiveServer, dave: User) -> None:
    EndpointFactory()
    with chromium.new_context(base_url=live_server.url, java_script_enabled=False) as plain:
        page = plain.new_page()
        page.goto("/")
        page.get_by_label("Name").fill(dave.username)
        page.get_by_label("Password").fill(PASSWORD)
        page.get_by_role("button", name="Sign in").click()
        page.locator(".examples a").first.click()
        page.get_by_role("button", name="Make the animation").click()
        page.get_by_role("button", name="Cancel").click()
        expect(page.get_by_role("button", name="Try again")).to_be_visible()
