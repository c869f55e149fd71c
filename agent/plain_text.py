"""Text that others wrote (programs, servers), made safe to show in a terminal, a page or a sentence of ours."""

import re

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]")
_ANSI = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]")


def clean(text: str) -> str:
    """The text without colour codes, control characters and invisible direction marks; lines stay lines."""
    return _CONTROL.sub("", _ANSI.sub("", text))


def one_line(text: str, cap: int = 300) -> str:
    """The text clean, on one line, and cut after `cap` characters."""
    line = " ".join(clean(text).split())
    return line if len(line) <= cap else line[: cap - 1] + "…"
