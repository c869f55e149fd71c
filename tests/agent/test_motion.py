"""Whether a prompt asks for movement."""

import pytest

from agent.motion import decide_motion
from agent.types import Motion


@pytest.mark.parametrize(
    "text",
    [
        "A still image of the unit circle",
        "Draw a static diagram of a right triangle",
        "The Venn diagram of A and B, no animation",
        "Show Euler's identity without any animation",
        "Make a poster of the five Platonic solids",
        "Plot sin x; do not animate it",
        "A single frame with the title Limits",
    ],
)
def test_a_still_is_recognised_when_it_is_asked_for_plainly(text: str) -> None:
    assert decide_motion(text) is Motion.STILL


@pytest.mark.parametrize(
    "text",
    [
        "Show a blue circle turning into a red square",
        "Draw the graph of sin x",
        "The point stands still while the line rotates",
        "Explain static friction with a block on a ramp",
        "A picture frame falls off the wall",
        "Show that the image of the map is a line",
    ],
)
def test_everything_else_is_an_animation(text: str) -> None:
    assert decide_motion(text) is Motion.ANIMATED
