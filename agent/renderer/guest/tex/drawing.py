"""MathJax's SVG flattened to filled paths, in the order in which TeX would have drawn them."""

import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from .engine import TexError
from .geometry import (
    IDENTITY,
    Box,
    Matrix,
    bar_path,
    frame_paths,
    moved,
    parse_transform,
    product,
    rectangle_path,
    viewport,
)
from .tokens import Marks, Owner

_MARK = re.compile(r"mark(\d+)$")
_HREF = "{http://www.w3.org/1999/xlink}href"
_MATHJAX_RULE = 60.0
_TEX_RULE = 40.0  # 0.4 pt; MathJax draws its bars thicker


@dataclass(frozen=True, slots=True)
class Shape:
    """One filled path. `owner` is None where MathJax drew something that no piece of the source stands for."""

    path: str
    matrix: Matrix
    fill: str | None
    owner: Owner | None
    clip: Box | None = None


@dataclass(frozen=True)
class Drawing:
    """One formula: its shapes around the base line (y grows downwards; 1000 units are 10 pt) and its measures."""

    shapes: list[Shape]
    width: float
    ascent: float
    descent: float


@dataclass(frozen=True)
class _State:
    """What an element inherits from those around it."""

    matrix: Matrix = IDENTITY
    fill: str | None = None
    owner: Owner | None = None
    closer: Owner | None = None  # owns what is drawn last inside the element, if it is not the same part
    clip: Box | None = None
    scale: float = 1.0  # of the element itself
    under_root: bool = False  # the bar of a root keeps its upper edge when it becomes thinner


@dataclass
class _Reader:
    marks: Marks
    glyphs: dict[str, str] = field(default_factory=dict)

    def shapes(self, element: ET.Element, state: _State) -> Iterator[Shape]:
        """All shapes below an element."""
        kind = element.tag.rpartition("}")[2]
        state = self._inherit(element, state)
        if kind == "svg":
            matrix, box = viewport(element.attrib, state.matrix)
            state = replace(state, matrix=matrix, clip=box)
        if kind == "use":
            yield self._shape(self.glyphs[element.attrib[_HREF].removeprefix("#")], state)
        elif kind == "path":
            yield self._shape(element.get("d", ""), state)
        elif kind in ("rect", "line"):
            for path in _rule_paths(kind, element.attrib, state.under_root):
                yield self._shape(path, state)
        elif kind in ("g", "svg"):
            yield from self._children(element, state)

    def _inherit(self, element: ET.Element, state: _State) -> _State:
        fill = element.get("fill", "none")
        number = _mark_number(element)
        own = parse_transform(element.get("transform", ""))
        if "data-idbox" in element.attrib:
            # A marked element is shifted by its height to and fro; MathJax forgets that the way back is scaled.
            own = moved(own, 0.0, own[5] / state.scale - own[5])
        return replace(
            state,
            matrix=product(state.matrix, own),
            scale=own[3],
            fill=state.fill if fill in ("none", "currentColor") else fill,
            owner=state.owner if number is None else self.marks.owners[number],
            closer=state.closer if number is None else self.marks.closers.get(number),
        )

    def _children(self, element: ET.Element, state: _State) -> Iterator[Shape]:
        children = _tex_order(element)
        state = replace(state, under_root=element.get("data-mml-node") in ("msqrt", "mroot"))
        if state.closer is None or element.find("*[@data-idbox]") is not None:  # a box around the marked element
            last = state
        else:
            last = replace(state, owner=state.closer, closer=None)
            state = replace(state, closer=None)
        for child in children:
            yield from self.shapes(child, last if child is children[-1] else state)

    def _shape(self, path: str, state: _State) -> Shape:
        return Shape(path, state.matrix, state.fill, state.owner, state.clip)


def read_drawing(svg: str, marks: Marks) -> Drawing:
    """Flatten what MathJax drew."""
    root = ET.fromstring(svg.replace("&nbsp;", "\u00a0"))  # noqa: S314 - our own engine's output
    reader = _Reader(marks, {path.get("id", ""): path.get("d", "") for path in root.iterfind(".//{*}defs/{*}path")})
    if "viewBox" not in root.attrib:
        raise TexError("MathJax sets this only as a whole page")
    _, top, width, height = (float(number) for number in root.attrib["viewBox"].split())
    shapes = [shape for child in root for shape in reader.shapes(child, _State()) if shape.path]
    return Drawing(_adopt(shapes), width, -top, top + height)


def _adopt(shapes: list[Shape]) -> list[Shape]:
    """Shapes without an owner belong to the piece drawn before them (the first ones: to the piece after them)."""
    owner = next((shape.owner for shape in shapes if shape.owner is not None), None)
    adopted: list[Shape] = []
    for shape in shapes:
        owner = owner if shape.owner is None else shape.owner
        adopted.append(replace(shape, owner=owner))
    return adopted


def _tex_order(element: ET.Element) -> list[ET.Element]:
    """The children as TeX draws them: manim's users count glyphs in that order (`formula[0][3]`)."""
    children = list(element)
    kind = element.get("data-mml-node")
    count = len(children)
    if kind == "mfrac" and count == 3:  # the bar before the denominator
        return [children[0], children[2], children[1]]
    if kind == "msqrt" and count == 3:  # sign and bar before what is under them
        return [*children[1:], children[0]]
    if kind == "mroot" and count == 4:
        return [*children[1:], children[0]]
    if kind == "mover" and count == 2:  # accents and upper limits before what is under them
        return children[::-1]
    if kind == "munderover" and count == 3 and _height(children[1]) < 0:  # else the limits are set as scripts
        return [children[2], children[0], children[1]]
    return children


def _mark_number(element: ET.Element) -> int | None:
    """The number of the mark on this element."""
    found = _MARK.match(element.get("id", ""))
    return int(found[1]) if found else None


def _height(element: ET.Element) -> float:
    return parse_transform(element.get("transform", ""))[5]


def _rule_paths(kind: str, attributes: dict[str, str], under_root: bool) -> list[str]:
    """Filled paths for bars, frames and lines, as thick as TeX draws them."""
    if "data-background" in attributes:
        return []
    if kind == "line":
        x1, y1, x2, y2 = (float(attributes.get(name, 0)) for name in ("x1", "y1", "x2", "y2"))
        return [bar_path(x1, y1, x2, y2, _TEX_RULE)]
    x, y, width, height = (float(attributes.get(name, 0)) for name in ("x", "y", "width", "height"))
    if height == _MATHJAX_RULE:
        y += (height - _TEX_RULE) * (1.0 if under_root else 0.5)
        height = _TEX_RULE
    box = Box(x, y, x + width, y + height)
    return frame_paths(box, _TEX_RULE) if attributes.get("fill") == "none" else [rectangle_path(box)]
