r"""How far a TeX construct reaches: what arguments a command takes, where groups, fences and environments end.

Argument kinds: `m` mathematics, `t` text, `r` copied as it is, `o` optional mathematics in brackets, `[` optional
text in brackets copied as it is, `*` an optional star.
"""

from collections.abc import Sequence
from typing import NamedTuple

from .tokens import Token, source


class UnreadableError(Exception):
    """We do not understand this source; MathJax shall judge it as a whole."""


class Argument(NamedTuple):
    """The tokens [start, end) of one argument."""

    kind: str
    start: int
    end: int


def _table(rows: dict[str, str]) -> dict[str, str]:
    return {"\\" + name: kinds for kinds, names in rows.items() for name in names.split()}


COMMANDS = _table(
    {
        "m": "hat bar vec dot ddot dddot tilde check breve acute grave mathring widehat widetilde widecheck overline "
        "underline overbrace underbrace overbracket underbracket overparen underparen overrightarrow overleftarrow "
        "overleftrightarrow underrightarrow underleftarrow mathrm mathbf mathit mathbb mathcal mathfrak mathsf mathscr "
        "mathtt mathnormal boldsymbol bm pmb symbf cancel bcancel xcancel boxed phantom hphantom vphantom mathop "
        "mathrel mathbin mathord mathopen mathclose mathpunct mathinner pmod pod substack bra ket braket llap rlap "
        "mathclap mathllap mathrlap ensuremath",
        "mm": "frac dfrac tfrac binom dbinom tbinom overset underset stackrel cancelto",
        "[mm": "cfrac",
        "om": "sqrt xrightarrow xleftarrow xleftrightarrow xRightarrow xLeftarrow xLeftrightarrow xmapsto xlongequal "
        "xrightleftharpoons xhookrightarrow xhookleftarrow xtofrom xtwoheadrightarrow",
        "[m": "smash bbox",
        "[rm": "textcolor",
        "rm": "enclose href class style",
        "rt": "colorbox raisebox",
        "rrt": "fcolorbox",
        "t": "text textrm textbf textit textsf texttt textnormal textup mbox hbox fbox",
        "*r": "operatorname tag",
        "r": "label ce pu not unicode big Big bigg Bigg bigl bigr bigm Bigl Bigr Bigm biggl biggr biggm Biggl Biggr "
        "Biggm",
        "rrrrmm": "genfrac",
        "[rr": "rule",
    }
)

TEXT_COMMANDS = _table(
    {
        "t": "text textrm textbf textit textsf texttt textnormal textup emph underline mbox hbox fbox",
        "[rt": "textcolor",
        "rt": "colorbox raisebox href",
        "rrt": "fcolorbox",
        "r": "' \" ` ^ ~ = . u v",
        "[rr": "rule",
    }
)

# Commands that act on what follows or only move the pen: never wrapped, or their effect would end with the wrapping.
DECLARATIONS = _table(
    {
        "": "displaystyle textstyle scriptstyle scriptscriptstyle limits nolimits nonumber notag hline hdashline over "
        "choose atop brace brack quad qquad enspace thinspace medspace thickspace negthinspace , ; : ! > rm bf it sf "
        "tt cal mathstrut strut bfseries itshape rmfamily sffamily ttfamily mdseries upshape tiny scriptsize "
        "footnotesize small normalsize large Large LARGE huge Huge displaylimits allowbreak",
        "[r": "color",
        "r": "cline vspace middle",
        "*r": "hspace mspace",
    }
)
DECLARATIONS["\\ "] = ""
DECLARATIONS["\\\n"] = ""

_ENVIRONMENT_ARGUMENTS = {"array": "[r", "subarray": "r", "alignedat": "r", "aligned": "[", "gathered": "["}

_REDEFINING = frozenset(
    f"\\{name}" for name in ["newcommand", "renewcommand", "providecommand", "def", "let", "newenvironment"]
)


def skip_blank(tokens: Sequence[Token], start: int) -> int:
    """The next position that is not white space."""
    while start < len(tokens) and tokens[start].blank:
        start += 1
    return start


def extent(tokens: Sequence[Token], start: int) -> int:
    """Where the construct that begins at `start` ends."""
    if start >= len(tokens):
        raise UnreadableError("something is missing at the end")
    text = tokens[start].text
    if text in _REDEFINING:
        raise UnreadableError("the formula defines commands")
    if text == "{":
        return _matching(tokens, start, "{", "}")
    if text == "\\left":
        return extent(tokens, skip_blank(tokens, _matching(tokens, start, "\\left", "\\right")))
    if text == "\\begin":
        return extent(tokens, skip_blank(tokens, _matching(tokens, start, "\\begin", "\\end")))
    kinds = COMMANDS.get(text, DECLARATIONS.get(text, ""))
    return arguments(tokens, start + 1, kinds)[1]


def arguments(tokens: Sequence[Token], start: int, kinds: str) -> tuple[list[Argument], int]:
    """The arguments of a command whose name ends at `start`, and the position after them."""
    found: list[Argument] = []
    for kind in kinds:
        begin = skip_blank(tokens, start)
        following = tokens[begin].text if begin < len(tokens) else ""
        if kind == "*":
            end = begin + 1 if following == "*" else start
        elif kind in "o[":
            end = _matching(tokens, begin, "[", "]") if following == "[" else start
        else:
            end = extent(tokens, begin)
        if end > start:
            found.append(Argument(kind, begin, end))
        start = end
    return found, start


def environment_parts(tokens: Sequence[Token]) -> tuple[str, int, int]:
    r"""Of `\begin{name}...\end{name}`: the name, where its body begins, and where its `\end` begins."""
    name_end = _matching(tokens, skip_blank(tokens, 1), "{", "}")
    name = source(tokens[2 : name_end - 1])
    kinds = _ENVIRONMENT_ARGUMENTS.get(name, "[" if name.endswith("matrix*") else "")
    body = arguments(tokens, name_end, kinds)[1]
    end = _matching(tokens, 0, "\\begin", "\\end") - 1
    return name, body, end


def ungroup(tokens: Sequence[Token]) -> Sequence[Token]:
    """An argument without the braces around it."""
    return tokens[1:-1] if tokens and tokens[0].text in ("{", "[") else tokens


def _matching(tokens: Sequence[Token], start: int, opening: str, closing: str) -> int:
    """The position after the closing token that belongs to the opening token at `start`."""
    depth = 0
    braces = 0
    for position in range(start, len(tokens)):
        text = tokens[position].text
        braces += (text == "{") - (text == "}")
        if opening == "[" and braces:
            continue  # brackets inside braces do not count
        depth += (text == opening) - (text == closing)
        if depth == 0:
            return position + 1
    raise UnreadableError(f"{opening} without {closing}")
