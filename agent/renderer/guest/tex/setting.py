"""From a marked expression of manim to the SVG it expects: paths grouped by the ids of the parts."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from xml.sax.saxutils import quoteattr

from .drawing import Drawing, Shape, read_drawing
from .engine import TexError, render
from .geometry import clipped_path, moved, product
from .grammar import UnreadableError
from .labelling import label_math
from .rows import DISPLAYS, Row, has_lines, open_lines, split_rows
from .tokens import Marks, Owner, Token, one_owner, part_ids, read_tokens, source

_SCALE = 0.0099626  # 1000 units are 10 pt, and dvisvgm writes big points
_BASELINE_SKIP = 1200.0
_LINE_SKIP = 100.0
_DISPLAY_SKIP = 700.0


@dataclass(frozen=True)
class Template:
    """What matters of a manim TeX template: the environment, and the commands its preamble defines."""

    environment: str | None = None
    definitions: str = ""
    physics: bool = False

    @property
    def mathematics(self) -> bool:
        """Is the expression in math mode from its beginning?"""
        return self.environment is not None and self.environment.split("}")[0].rstrip("*") in DISPLAYS


def set_expression(expression: str, template: Template) -> str:
    """The SVG text of an expression. Raises TexError."""
    tokens = read_tokens(expression)
    owner = next((token.owner for token in tokens if not token.blank), ())
    if not one_owner(tokens):
        try:
            return _write(draw(tokens, template), owner, part_ids(expression))
        except (TexError, UnreadableError):
            pass  # the marks may be to blame: if it can be set without them, every glyph goes to the first part
    plain = [Token(token.text) for token in tokens]
    try:
        shapes = draw(plain, template)
    except UnreadableError:
        shapes = _draw_unread(plain, template)
    return _write(shapes, owner, part_ids(expression))


def draw(tokens: Sequence[Token], template: Template) -> list[Shape]:
    """All shapes of an expression, in MathJax's units."""
    if not template.mathematics:
        return _stack([(row, _drawing(row.tex, template)) for row in split_rows(tokens)], template)
    environment = template.environment or ""
    if not has_lines(tokens):
        return _drawing(lambda marks: label_math(tokens, marks), template).shapes
    name = environment if environment.rstrip("*") not in ("equation", "math", "displaymath") else "align*"
    return _drawing(
        lambda marks: rf"\begin{{{name}}}{label_math(open_lines(tokens), marks)}\end{{{name.split('}')[0]}}}", template
    ).shapes


def _draw_unread(tokens: Sequence[Token], template: Template) -> list[Shape]:
    """An expression that only MathJax understands, or can say what is wrong with it."""
    tex = source(tokens) if template.mathematics else rf"\text{{{source(tokens)}}}"
    return _drawing(lambda _: tex, template).shapes


def _drawing(label: Callable[[Marks], str], template: Template) -> Drawing:
    marks = Marks()
    tex = label(marks)
    return read_drawing(render(template.definitions + tex, physics=template.physics), marks)


def _stack(lines: Sequence[tuple[Row, Drawing]], template: Template) -> list[Shape]:
    """Lines below each other, with the distances of LaTeX."""
    side = {"flushleft": 0.0, "flushright": 1.0, None: 0.0}.get(template.environment, 0.5)
    width = max((drawing.width for _, drawing in lines), default=0.0)
    shapes: list[Shape] = []
    y = 0.0
    for index, (row, drawing) in enumerate(lines):
        if index:
            above, upper = lines[index - 1]
            y += max(_BASELINE_SKIP, upper.descent + drawing.ascent + _LINE_SKIP) + row.gap
            y += _DISPLAY_SKIP if row.display or above.display else 0.0
        x = (width - drawing.width) * (0.5 if row.display else 0.0 if row.left else side)
        shapes += [_moved(shape, x, y) for shape in drawing.shapes]
    return shapes


def _moved(shape: Shape, x: float, y: float) -> Shape:
    clip = shape.clip and shape.clip._replace(
        left=shape.clip.left + x, right=shape.clip.right + x, low=shape.clip.low + y, high=shape.clip.high + y
    )
    return replace(shape, matrix=moved(shape.matrix, x, y), clip=clip)


def _write(shapes: Iterable[Shape], default: Owner, ids: Sequence[str]) -> str:
    """The SVG text. Each id has exactly one group, for manim keeps only the last one of a name."""
    owned = [(shape.owner or default, _path(shape)) for shape in shapes]
    used = {name for owner, _ in owned for name in owner}
    empty = "".join(f"<g id={quoteattr(name)}/>" for name in ids if name not in used)
    body = _group(owned, 0)
    return f'<?xml version="1.0"?>\n<svg xmlns="http://www.w3.org/2000/svg" version="1.1">\n{body}{empty}</svg>\n'


def _group(owned: Sequence[tuple[Owner, str]], depth: int) -> str:
    """Paths in groups by their part at this depth; a part that is drawn in two places stays one group."""
    groups: dict[str, list[tuple[Owner, str]]] = {}
    for index, (owner, path) in enumerate(owned):
        name = owner[depth] if depth < len(owner) else f" {index}"
        groups.setdefault(name, []).append((owner, path))
    return "".join(
        members[0][1] if name.startswith(" ") else f"<g id={quoteattr(name)}>{_group(members, depth + 1)}</g>\n"
        for name, members in groups.items()
    )


def _path(shape: Shape) -> str:
    """One path element."""
    from svgelements import Color  # type: ignore[import-untyped]

    matrix = product((_SCALE, 0.0, 0.0, _SCALE, 0.0, 0.0), shape.matrix)
    path = shape.path
    if shape.clip and (cut := clipped_path(path, shape.matrix, shape.clip)) is not None:
        path, matrix = cut, (_SCALE, 0.0, 0.0, _SCALE, 0.0, 0.0)
    if shape.fill and Color(shape.fill) == Color("black") and shape.fill not in ("black", "#000000"):
        raise TexError(f"Undefined color '{shape.fill}' (TeX knows other names than manim; use set_color)")
    fill = f" fill={quoteattr(shape.fill)}" if shape.fill else ""
    numbers = " ".join(f"{number:.6g}" for number in matrix)
    return f'<path d={quoteattr(path)} transform="matrix({numbers})"{fill}/>\n'
