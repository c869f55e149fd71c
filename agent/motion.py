"""Whether a prompt asks for movement: decided once per prompt, by words, and stored with the Run."""

import re

from agent.types import Motion

STILL_WORDS = re.compile(
    r"\b(?:"
    r"(?:still|static|single|motionless|non-?animated)\s+(?:\w+\s+)?(?:image|picture|frame|figure|diagram|drawing|plot|scene|shot)"
    r"|no\s+(?:animations?|movement|motion)"
    r"|without\s+(?:any\s+)?(?:animations?|animating|movement|motion)"
    r"|(?:as\s+)?a\s+(?:poster|screenshot|thumbnail)"
    r"|(?:not|don'?t)\s+animate"
    r"|nothing\s+(?:should\s+)?moves?"
    r")\b",
    re.IGNORECASE,
)


def decide_motion(text: str) -> Motion:
    """`still` only when the words say so plainly; a person who comes to an animation tool expects movement."""
    return Motion.STILL if STILL_WORDS.search(text) else Motion.ANIMATED
