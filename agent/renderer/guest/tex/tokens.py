"""TeX source as tokens that remember which parts of the formula manim wants to address later."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

# manim writes the beginning and the end of every addressable part like this, for dvisvgm to copy.
_SPECIAL = re.compile(r"\\special\{dvisvgm:raw (?:<g id='([^']+)'>|</g>)\}")
_TOKEN = re.compile(r"\\[A-Za-z]+|\\.|%[^\n]*\n\s*|\s+|.", re.DOTALL)
_SUBSTRING = "substring"

Owner = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Token:
    """A command, a character or white space, and the ids of the parts around it, outermost first."""

    text: str
    owner: Owner = ()

    @property
    def blank(self) -> bool:
        """Is this white space or a comment?"""
        return self.text.isspace() or (self.text[0] == "%" and self.text[-1].isspace())


@dataclass
class Marks:
    """Gives `\\cssId` numbers to pieces of TeX, and knows afterwards whose piece carries which number."""

    owners: list[Owner] = field(default_factory=list)
    closers: dict[int, Owner] = field(default_factory=dict)

    def wrap(self, tex: str, owner: Owner, closer: Owner | None = None) -> str:
        """`tex` with a number. `closer` owns the last delimiter of a fence when it begins and ends in two parts."""
        if not owner:
            return tex
        if closer is not None and closer != owner:
            self.closers[len(self.owners)] = closer
        self.owners.append(owner)
        return rf"\cssId{{mark{len(self.owners) - 1}}}{{{tex}}}"


def part_ids(expression: str) -> list[str]:
    """The ids of all parts, in the order in which they begin."""
    return [name for name in _SPECIAL.findall(expression) if name]


def without_marks(expression: str) -> str:
    """The source as its author wrote it."""
    return _SPECIAL.sub("", expression)


def source(tokens: Sequence[Token]) -> str:
    """The TeX text of some tokens."""
    return "".join(token.text for token in tokens)


def one_owner(tokens: Sequence[Token]) -> bool:
    """Do all of these belong to the same part?"""
    return len({token.owner for token in tokens if not token.blank}) <= 1


def read_tokens(expression: str) -> list[Token]:
    r"""Split a marked expression.

    The boundary of an isolated substring does not split a command (isolating "e" must not break `\theta`); the
    boundary of a part given by the author does.
    """
    tokens: list[Token] = []
    open_parts: list[str] = []
    chunk: list[tuple[str, Owner]] = []
    position = 0
    for match in _SPECIAL.finditer(expression):
        chunk.append((expression[position : match.start()], tuple(open_parts)))
        position = match.end()
        name = match[1] or (open_parts[-1] if open_parts else "")
        if not name.endswith(_SUBSTRING):
            tokens += _split(chunk)
            chunk = []
        if match[1]:
            open_parts.append(name)
        elif open_parts:
            open_parts.pop()
    chunk.append((expression[position:], tuple(open_parts)))
    return tokens + _split(chunk)


def _split(chunk: Sequence[tuple[str, Owner]]) -> list[Token]:
    """Tokens of adjoining texts; a token that spans two of them belongs to the first."""
    text = "".join(piece for piece, _ in chunk)
    owners = [owner for piece, owner in chunk for _ in piece]
    return [Token(match[0], owners[match.start()]) for match in _TOKEN.finditer(text)]
