"""Python text as HTML with classes for its colours; the colours are in the stylesheet, light and dark."""

import re

from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import PythonLexer

# Nobody reads a longer program on a page, and highlighting it would hold up the server.
MAX_CHARACTERS = 50_000
# What makes a program look like another one, or a terminal do things: direction marks and control characters.
INVISIBLE = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]")


def highlighted(code: str, faulty_line: int | None = None) -> SafeString:
    """The program with line numbers, its faulty line marked. Everything in it is escaped, invisible characters
    visibly so."""
    code = INVISIBLE.sub(lambda found: f"\\u{ord(found[0]):04x}", code)
    if len(code) > MAX_CHARACTERS:
        return format_html('<pre class="code" dir="ltr">{}</pre>', code)
    formatter = HtmlFormatter(
        cssclass="code", linenos="inline", hl_lines=[faulty_line] if faulty_line else [], wrapcode=True
    )
    return mark_safe(highlight(code, PythonLexer(stripnl=False), formatter))  # noqa: S308 (the formatter escapes)
