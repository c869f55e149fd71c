"""What models are told: the templates with realistic values, read as a whole."""

import pytest
from jinja2 import UndefinedError

from agent.messages import chat, render_template
from agent.types import Issue, IssueSource, Plan, Severity

ISSUE = Issue(
    kind="python",
    severity=Severity.ERROR,
    source=IssueSource.RENDERER,
    message="NameError: name 'Box' is not defined",
    hint="Use Square.",
)
WRITE = {"prompt": "a circle", "plan": None, "only_drawn_scripts": False, "examples": []}
REPAIR = WRITE | {
    "issues": [ISSUE],
    "rendered": False,
    "failing_line": "box = Box()",
    "earlier": [],
    "change_approach": False,
    "avoid": "Box",
}


def test_a_repair_names_the_fault_its_line_and_what_failed_before() -> None:
    text = render_template("full_repair.j2", **REPAIR | {"earlier": ["TypeError: no side"]})
    assert text.splitlines() == [
        "Now write the program for this request, and show everything it names:",
        "a circle",
        "",
        "An earlier program failed:",
        "- NameError: name 'Box' is not defined (Use Square.)",
        "The line at fault was: box = Box()",
        "Programs before it failed with:",
        "- TypeError: no side",
        "Write a new program from the start that avoids all of this.",
    ]


def test_a_video_that_was_not_good_is_not_called_a_failure() -> None:
    text = render_template("full_repair.j2", **REPAIR | {"rendered": True, "failing_line": ""})
    assert "An earlier program ran, but its video was not good:\n- NameError" in text
    assert "line at fault" not in text


def test_a_plan_comes_before_the_request() -> None:
    text = render_template("full_write.j2", **WRITE | {"plan": Plan(text="1. the circle")})
    assert text.startswith("Follow this plan:\n1. the circle\n\nNow write")


@pytest.mark.parametrize(
    ("still", "there", "gone"), [(True, "play nothing", "Rotate"), (False, "Rotate", "play nothing")]
)
def test_the_system_prompt_speaks_of_movement_or_of_a_still(still: bool, there: str, gone: str) -> None:
    text = render_template("full_system.j2", manim_version="0.22.0", still=still)
    assert there in text
    assert gone not in text
    assert "\n\n-" not in text.split("\n\n", 1)[1]


def test_nothing_is_escaped() -> None:
    assert 'a < b & "c"' in render_template("full_write.j2", **WRITE | {"prompt": 'a < b & "c"'})


def test_a_prompt_cannot_reach_into_the_template() -> None:
    assert "{{ 7 * 7 }}" in render_template("full_write.j2", **WRITE | {"prompt": "{{ 7 * 7 }}"})


def test_a_value_that_is_missing_is_an_error() -> None:
    with pytest.raises(UndefinedError):
        render_template("full_write.j2", prompt="a circle")


def test_a_chat_is_one_system_and_one_user_message() -> None:
    assert [message.role for message in chat("be brief", "hello")] == ["system", "user"]
