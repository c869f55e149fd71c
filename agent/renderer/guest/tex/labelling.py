r"""Put a `\cssId` around every smallest piece of a formula, so that each glyph comes back with the part it belongs to.

Marks around whole parts would change the setting (a part like `^2` or `\frac{a` is no formula of its own, and a
wrapped relation loses its space after `&`); a mark around one atom changes nothing.
"""

import re
from collections.abc import Sequence

from .grammar import (
    COMMANDS,
    DECLARATIONS,
    TEXT_COMMANDS,
    Argument,
    UnreadableError,
    arguments,
    environment_parts,
    extent,
    skip_blank,
    ungroup,
)
from .tokens import Marks, Token, one_owner, source

_UNWRAPPED = frozenset("&}]~")
_TYPOGRAPHY = (("---", "\u2014"), ("--", "\u2013"), ("``", "\u201c"), ("''", "\u201d"), ("`", "\u2018"))
_LIGATURES = (("ffi", "\ufb03"), ("ffl", "\ufb04"), ("ff", "\ufb00"), ("fi", "\ufb01"), ("fl", "\ufb02"))
_RESPELLED = {
    r"\LaTeX": r"$\mathrm{\LaTeX}$",
    r"\TeX": r"$\mathrm{\TeX}$",
    r"\ss": "\u00df",
    r"\pounds": "\u00a3",
    r"\bfseries": r"\bf",
    r"\itshape": r"\it",
    r"\sffamily": r"\sf",
    r"\ttfamily": r"\tt",
    r"\rmfamily": r"\rm",
    r"\mdseries": r"\rm",
    r"\upshape": r"\rm",
    r"\footnotesize": r"\small",
}
_PLAIN_TEXT = re.compile(r"[^\\{}$&#_^%~]")


def label_math(tokens: Sequence[Token], marks: Marks) -> str:
    """Mathematics with marks."""
    pieces: list[str] = []
    position = 0
    while position < len(tokens):
        piece, position = _math_piece(tokens, position, marks)
        pieces.append(piece)
    return "".join(pieces)


def _math_piece(tokens: Sequence[Token], start: int, marks: Marks) -> tuple[str, int]:
    """The marked form of the construct at `start`, and where it ends."""
    token = tokens[start]
    text = token.text
    if token.blank:
        return " ", start + 1
    if text == "'":
        return _primes(tokens, start, marks)
    if text in ("^", "_"):
        end = extent(tokens, skip_blank(tokens, start + 1))
        return text + _script(tokens[start + 1 : end], marks), end
    if text.startswith("\\\\"):
        return _line_end(tokens, start)
    if text in (r"\tag", r"\label"):
        return _tag(tokens, start, marks)
    if text in DECLARATIONS:
        end = extent(tokens, start)
        return source(tokens[start:end]) + " ", end
    if text in _UNWRAPPED:
        return text, start + 1
    if text == ".":  # an ordinary sign in TeX; MathJax leaves a space after it where it is not within a number
        return marks.wrap("{.}", token.owner), start + 1
    end = _number_end(tokens, start) if text.isdigit() else extent(tokens, start)
    whole = tokens[start:end]
    if one_owner(whole):
        return marks.wrap(source(whole), token.owner), end
    return _compound(whole, marks), end


def _compound(whole: Sequence[Token], marks: Marks) -> str:
    """A construct that holds pieces of several parts."""
    text, owner = whole[0].text, whole[0].owner
    if text == "{":
        return "{" + label_math(whole[1:-1], marks) + "}"
    if text == "\\left":
        return _fence(whole, marks)
    if text == "\\begin":
        name, body, end = environment_parts(whole)
        inner = source(whole[:body]) + label_math(whole[body:end], marks) + rf"\end{{{name}}}"
        return marks.wrap(inner, owner, whole[-1].owner)
    found, _ = arguments(whole, 1, COMMANDS.get(text, ""))
    return marks.wrap(text + "".join(_argument(whole, argument, marks) for argument in found), owner)


def _argument(tokens: Sequence[Token], argument: Argument, marks: Marks) -> str:
    """One argument of a command, marked where it holds something visible."""
    inside = tokens[argument.start : argument.end]
    if argument.kind == "m":
        return "{" + label_math(ungroup(inside), marks) + "}"
    if argument.kind == "t":
        return "{" + label_text(ungroup(inside), marks) + "}"
    if argument.kind == "o":
        return "[" + label_math(ungroup(inside), marks) + "]"
    return source(inside)


def _fence(whole: Sequence[Token], marks: Marks) -> str:
    r"""`\left( ... \right)`: the two delimiters may belong to different parts."""
    opening = skip_blank(whole, 1) + 1
    closing = len(whole) - 1
    while whole[closing].text != "\\right":
        closing -= 1
    inner = source(whole[:opening]) + label_math(whole[opening:closing], marks) + source(whole[closing:])
    return marks.wrap(inner, whole[0].owner, whole[closing].owner)


def _script(tokens: Sequence[Token], marks: Marks) -> str:
    """What stands after `^` or `_`, in braces."""
    return "{" + label_math(ungroup(tokens[skip_blank(tokens, 0) :]), marks) + "}"


def _primes(tokens: Sequence[Token], start: int, marks: Marks) -> tuple[str, int]:
    """Primes are superscripts and share their place with a `^` that follows them."""
    inner = ""
    position = start
    while position < len(tokens) and tokens[position].text == "'":
        inner += marks.wrap(r"\prime ", tokens[position].owner)
        position += 1
    following = skip_blank(tokens, position)
    if following < len(tokens) and tokens[following].text == "^":
        position = extent(tokens, skip_blank(tokens, following + 1))
        inner += _script(tokens[following + 1 : position], marks)
    return f"^{{{inner}}}", position


def _line_end(tokens: Sequence[Token], start: int) -> tuple[str, int]:
    r"""`\\`, `\\*` or `\\[2pt]`."""
    _, end = arguments(tokens, start + 1, "*[")
    return source(tokens[start:end]), end


def _tag(tokens: Sequence[Token], start: int, marks: Marks) -> tuple[str, int]:
    """A tag follows its line; MathJax would want to know the width of the page. Labels show nothing."""
    found, end = arguments(tokens, start + 1, "*r")
    if tokens[start].text == r"\label":
        return "", end
    text = source(ungroup(tokens[found[-1].start : found[-1].end]))
    starred = len(found) > 1
    return r"\qquad" + marks.wrap(rf"\text{{{text if starred else f'({text})'}}}", tokens[start].owner), end


def _number_end(tokens: Sequence[Token], start: int) -> int:
    """Digits of one part stay one number: taken apart they would be set with other spaces."""
    end = start + 1
    while end < len(tokens) and tokens[end].owner == tokens[start].owner and tokens[end].text in "0123456789.":
        end += 1
    return end


def label_text(tokens: Sequence[Token], marks: Marks, *, ligatures: bool = True) -> str:
    """Text, with `$...$` in it, with marks."""
    pieces: list[str] = []
    position = 0
    while position < len(tokens):
        piece, position = _text_piece(tokens, position, marks, ligatures)
        pieces.append(piece)
    return "".join(pieces)


def _text_piece(tokens: Sequence[Token], start: int, marks: Marks, ligatures: bool) -> tuple[str, int]:
    """The marked form of the piece of text at `start`, and where it ends."""
    token = tokens[start]
    text = token.text
    if _PLAIN_TEXT.match(text) and not token.text.startswith("\\"):
        end = _run_end(tokens, start)
        return marks.wrap(_typeset(source(tokens[start:end]), ligatures), token.owner), end
    if text in ("$", r"\("):
        end = _inline_end(tokens, start)
        return f"${label_math(tokens[start + 1 : end - 1], marks)}$", end
    if text == "{":
        end = extent(tokens, start)
        return "{" + label_text(tokens[start + 1 : end - 1], marks, ligatures=ligatures) + "}", end
    if text in DECLARATIONS:
        end = extent(tokens, start)
        return _RESPELLED.get(text, text) + source(tokens[start + 1 : end]) + " ", _after_word(tokens, start, end)
    if text in _RESPELLED:
        return marks.wrap(_RESPELLED[text], token.owner), _after_word(tokens, start, start + 1)
    if token.blank or text in _UNWRAPPED:
        return text, start + 1
    found, end = arguments(tokens, start + 1, TEXT_COMMANDS.get(text, ""))
    ligatures = ligatures and text != r"\texttt"
    inner = "".join(
        "{" + label_text(ungroup(tokens[argument.start : argument.end]), marks, ligatures=ligatures) + "}"
        if argument.kind == "t"
        else source(tokens[argument.start : argument.end])
        for argument in found
    )
    return marks.wrap(text + (inner or " " * text[1:].isalpha()), token.owner), _after_word(tokens, start, end)


def _after_word(tokens: Sequence[Token], start: int, end: int) -> int:
    """TeX takes no notice of white space after a command that is a word without arguments."""
    return skip_blank(tokens, end) if end == start + 1 and tokens[start].text[-1].isalpha() else end


def _run_end(tokens: Sequence[Token], start: int) -> int:
    """Where the plain characters of one part end."""
    end = start
    while end < len(tokens) and tokens[end].owner == tokens[start].owner and _PLAIN_TEXT.match(tokens[end].text):
        end += 1
    return end


def _inline_end(tokens: Sequence[Token], start: int) -> int:
    r"""The position after the `$` or `\)` that closes the mathematics opened at `start`."""
    closing = "$" if tokens[start].text == "$" else r"\)"
    for position in range(start + 1, len(tokens)):
        if tokens[position].text == closing:
            return position + 1
    raise UnreadableError(f"{closing} is missing")


def _typeset(text: str, ligatures: bool) -> str:
    """Dashes, quotes and ligatures as TeX makes them from plain characters."""
    for plain, typeset in _TYPOGRAPHY + (_LIGATURES if ligatures else ()):
        text = text.replace(plain, typeset)
    return text
