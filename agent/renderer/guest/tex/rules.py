"""What is wrong with a formula's source before anything is set, and what to say about MathJax's errors."""

import re
from collections.abc import Sequence

from .engine import TexError
from .grammar import COMMANDS, UnreadableError, extent
from .rows import DISPLAYS
from .tokens import Token

_SHOWN = 120

# Python turns "\frac" into a form feed and "rac"; a tab or a line break is suspicious only before what is left of a
# well-known command (\theta, \text, \neq, \nabla, ...).
_CONTROL = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f]"
    r"|\t(?=heta|au\b|ext|imes|o\b|an\b|frac|ilde|riangle|op\b|ag\b)"
    r"|\n(?=eq\b|abla|otin|earrow)"
)
_HINTS = (
    ("#", r"write \# for the sign"),
    ("only in math mode", "put mathematics between $ signs, or use MathTex"),
    ("only supported in math mode", "put mathematics between $ signs, or use MathTex"),
    ("Misplaced '&'", r"outside a formula write \&; in MathTex it aligns lines"),
)


def check_source(tokens: Sequence[Token], text: str, *, mathematics: bool) -> None:
    """Raise TexError for what MathJax would set without complaint, but not as meant."""
    if _CONTROL.search(text):
        raise TexError("the formula holds a control character: write it as a raw string r'...'")
    if any(token.text == "%" for token in tokens):
        raise TexError(r"'%' begins a comment in TeX; write \% for the sign")
    if not mathematics:
        return
    if _has_dollar(tokens):
        raise TexError("MathTex is in math mode already; leave out the $ signs, or use Tex")
    nested = re.search(r"\\begin\s*\{(\w+)\*?\}", text)
    if nested and nested[1] in DISPLAYS:
        raise TexError(rf"MathTex is an align* environment already; leave out \begin{{{nested[1]}}}, or use aligned")


def _has_dollar(tokens: Sequence[Token]) -> bool:
    """Is there a `$` outside `\\text{...}`?"""
    position = 0
    while position < len(tokens):
        text = tokens[position].text
        if text == "$":
            return True
        try:
            position = extent(tokens, position) if "t" in COMMANDS.get(text, "") else position + 1
        except UnreadableError:
            return False
    return False


def explain(error: TexError, text: str) -> TexError:
    """The error with a hint, and with the source it is about."""
    message = str(error)
    hint = next((hint for sign, hint in _HINTS if sign in message), None)
    shown = " ".join(text.split())
    shown = shown if len(shown) <= _SHOWN else shown[: _SHOWN - 3] + "..."
    return TexError(f"{message}{f' ({hint})' if hint else ''} in: {shown}")
