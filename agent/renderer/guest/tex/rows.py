r"""The text mode of `Tex`: lines of text with `$...$` in them, displayed formulas, lists."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from .engine import TexError
from .grammar import DECLARATIONS, UnreadableError, arguments, environment_parts, extent, skip_blank
from .labelling import label_math, label_text
from .tokens import Marks, Token, source

DISPLAYS = frozenset(
    ["align", "gather", "multline", "alignat", "flalign", "equation", "eqnarray", "displaymath", "math"]
)
_LAYOUTS = frozenset(["center", "flushleft", "flushright", "minipage", "document", "quote"])
_LISTS = {"itemize": r"\textbullet", "enumerate": ""}
_IGNORED = frozenset(
    f"\\{name}" for name in ["centering", "noindent", "raggedright", "raggedleft", "hfill", "vfill", "bigskip"]
)
_BREAKS = frozenset(["\\\\", "\\newline", "\\par", "\\linebreak"])

_LENGTH = re.compile(r"\[?\s*(-?[\d.]+)\s*(pt|em|ex|cm|mm|in)\s*\]?$")
_UNITS = {"pt": 100.0, "em": 1000.0, "ex": 430.0, "cm": 2845.0, "mm": 284.5, "in": 7227.0}
_LINE_GAP = 1200.0


@dataclass
class Row:
    """One line: its tokens, whether it is a displayed formula, and the extra space above it."""

    tokens: list[Token] = field(default_factory=list)
    display: bool = False
    gap: float = 0.0
    left: bool = False  # an item of a list

    @property
    def empty(self) -> bool:
        """Is there nothing to see in it?"""
        return all(token.blank or token.text in DECLARATIONS for token in self.tokens)

    def tex(self, marks: Marks) -> str:
        """What MathJax is to set."""
        if not self.display:
            return rf"\text{{{label_text(self.tokens, marks)}}}"
        return label_display(self.tokens, marks)


def label_display(tokens: Sequence[Token], marks: Marks) -> str:
    """A displayed formula, which may be one `align` environment."""
    if tokens[0].text != "\\begin":
        return label_math(tokens, marks)
    name, body, end = environment_parts(tokens)
    inner = tokens[body:end]
    if not has_lines(inner):
        return label_math(inner, marks)
    return rf"\begin{{{name}}}{label_math(open_lines(inner), marks)}\end{{{name}}}"


def has_lines(tokens: Sequence[Token]) -> bool:
    r"""Is there a `&` or `\\` that belongs to the formula itself?"""
    return any(token.text == "&" or token.text.startswith("\\\\") for token in _top_level(tokens))


def open_lines(tokens: Sequence[Token]) -> list[Token]:
    r"""Set the lines of displayed formulas 15 pt apart as LaTeX does; MathJax sets them 13 pt apart."""
    opened: list[Token] = []
    position = 0
    while position < len(tokens):
        end = extent(tokens, position)
        piece = list(tokens[position:end])
        if piece[0].text == "\\\\" and not (end < len(tokens) and tokens[end].text in "[*"):
            piece = [replace(piece[0], text=r"\\[2pt]")]
        opened += piece
        position = end
    return opened


def _top_level(tokens: Sequence[Token]) -> Iterator[Token]:
    position = 0
    while position < len(tokens):
        yield tokens[position]
        position = extent(tokens, position)


def split_rows(tokens: Sequence[Token]) -> list[Row]:
    """The lines of a text. Declarations such as `\\bfseries` act on all lines after them."""
    rows = [Row()]
    lasting: list[Token] = []
    counters: list[int] = []
    position = 0
    while position < len(tokens):
        token = tokens[position]
        if token.text in _BREAKS or token.text.count("\n") > 1:
            _, end = arguments(tokens, position + 1, "*[" if token.text == "\\\\" else "")
            gap = _length(source(tokens[position + 1 : end]))
            rows.append(Row(list(lasting), gap=gap + (_LINE_GAP if rows[-1].empty else 0)))
        elif token.text in ("\\begin", "\\end"):
            end = _environment(tokens, position, rows, counters)
        elif token.text in ("\\[", "$"):
            end = _dollars(tokens, position, rows)
        elif token.text == "\\item":
            end = skip_blank(tokens, position + 1)
            rows.append(Row([*lasting, *_bullet(token, counters)], left=True))
        elif token.text in _IGNORED:
            end = position + 1
        else:
            end = extent(tokens, position)
            lasting += tokens[position:end] if token.text in DECLARATIONS and token.text[1:].isalpha() else ()
            rows[-1].tokens += tokens[position:end]
        position = end
    return [replace(row, tokens=_stripped(row.tokens)) for row in rows if not row.empty]


def _environment(tokens: Sequence[Token], start: int, rows: list[Row], counters: list[int]) -> int:
    """Take the beginning or the end of an environment, or a whole displayed one; say where it ends."""
    begins = tokens[start].text == "\\begin"
    named = arguments(tokens, start + 1, "r")
    name = source(tokens[named[0][0].start + 1 : named[1] - 1])
    if begins and name.rstrip("*") in DISPLAYS:
        end = extent(tokens, start)
        rows += [Row(list(tokens[start:end]), display=True), Row()]
        return end
    if name in _LISTS and begins:
        counters.append(0 if name == "itemize" else 1)
    elif name in _LISTS and counters:
        counters.pop()
    elif name not in _LAYOUTS:
        raise TexError(f"Tex knows no environment '{name}' (use Table for tables, MathTex for formulas)")
    rows.append(Row())
    return arguments(tokens, named[1], "r" if begins and name == "minipage" else "")[1]


def _bullet(item: Token, counters: list[int]) -> list[Token]:
    """The sign before an item of a list."""
    if not counters or counters[-1] == 0:
        return [replace(item, text=text) for text in ("\\textbullet", "\\ ")]
    counters[-1] += 1
    return [replace(item, text=text) for text in f"{counters[-1] - 1}. "]


def _dollars(tokens: Sequence[Token], start: int, rows: list[Row]) -> int:
    r"""Take `$...$` into the row, or make `$$...$$` or `\[...\]` a row of its own; say where it ends."""
    doubled = tokens[start].text == "$" and start + 1 < len(tokens) and tokens[start + 1].text == "$"
    inside = start + 1 + doubled
    closing = "$" if tokens[start].text == "$" else "\\]"
    end = next((at for at in range(inside, len(tokens)) if tokens[at].text == closing), None)
    if end is None:
        raise UnreadableError(f"{closing} is missing")
    if tokens[start].text == "$" and not doubled:
        rows[-1].tokens += tokens[start : end + 1]
        return end + 1
    rows += [Row(_stripped(tokens[inside:end]), display=True), Row()]
    return end + 1 + doubled


def _stripped(tokens: Sequence[Token]) -> list[Token]:
    """Tokens without the white space around them."""
    end = len(tokens)
    while end and tokens[end - 1].blank:
        end -= 1
    return list(tokens[skip_blank(tokens, 0) : end])


def _length(text: str) -> float:
    """The units of a `[2pt]` after a line break."""
    found = _LENGTH.search(text)
    return float(found[1]) * _UNITS[found[2]] if found else 0.0
