"""The little plane geometry that flattening an SVG needs."""

import functools
import math
import re
from collections.abc import Mapping
from typing import NamedTuple

Matrix = tuple[float, float, float, float, float, float]
IDENTITY: Matrix = (1.0, 0.0, 0.0, 1.0, 0.0, 0.0)

_FUNCTION = re.compile(r"(\w+)\(([^)]*)\)")
_NUMBER = re.compile(r"[-+]?(?:\d*\.\d+|\d+)(?:[eE][-+]?\d+)?")

_OVERLAP = 15.0  # the pieces of a long brace reach into each other, else fine gaps show between them


class Box(NamedTuple):
    """An upright rectangle."""

    left: float
    low: float
    right: float
    high: float


def product(outer: Matrix, inner: Matrix) -> Matrix:
    """The matrix that first does `inner` and then `outer`."""
    a, b, c, d, e, f = outer
    p, q, r, s, t, u = inner
    return a * p + c * q, b * p + d * q, a * r + c * s, b * r + d * s, a * t + c * u + e, b * t + d * u + f


def moved(matrix: Matrix, x: float, y: float) -> Matrix:
    """`matrix`, and afterwards a shift."""
    return (*matrix[:4], matrix[4] + x, matrix[5] + y)


def parse_transform(text: str) -> Matrix:
    """The matrix of an SVG `transform` attribute."""
    return functools.reduce(product, (_step(name, values) for name, values in _FUNCTION.findall(text)), IDENTITY)


def _step(name: str, values: str) -> Matrix:
    numbers = [float(number) for number in _NUMBER.findall(values)]
    if name == "translate":
        return 1.0, 0.0, 0.0, 1.0, numbers[0], numbers[1] if len(numbers) > 1 else 0.0
    if name == "scale":
        return numbers[0], 0.0, 0.0, numbers[-1], 0.0, 0.0
    if name == "rotate":
        cosine, sine = math.cos(math.radians(numbers[0])), math.sin(math.radians(numbers[0]))
        return cosine, sine, -sine, cosine, 0.0, 0.0
    a, b, c, d, e, f = numbers
    return a, b, c, d, e, f


def viewport(attributes: Mapping[str, str], outer: Matrix) -> tuple[Matrix, Box]:
    """The matrix inside a nested `svg` element, and the box (in root units) that its contents are cut to."""
    x, y, width, height = (float(attributes.get(name, 0)) for name in ("x", "y", "width", "height"))
    left, low, view_width, view_height = (float(number) for number in attributes["viewBox"].split())
    scale_x, scale_y = width / (view_width or 1), height / (view_height or 1)
    inner = (scale_x, 0.0, 0.0, scale_y, x - left * scale_x, y - low * scale_y)
    return product(outer, inner), transformed(Box(x, y, x + width, y + height), outer)


def transformed(box: Box, matrix: Matrix) -> Box:
    """The box of a box after an unrotated transformation."""
    a, _, _, d, e, f = matrix
    xs = sorted((a * box.left + e, a * box.right + e))
    ys = sorted((d * box.low + f, d * box.high + f))
    return Box(xs[0], ys[0], xs[1], ys[1])


def rectangle_path(box: Box) -> str:
    """A filled rectangle."""
    return f"M{box.left:g} {box.low:g}H{box.right:g}V{box.high:g}H{box.left:g}Z"


def frame_paths(box: Box, width: float) -> list[str]:
    """The four rules around a box, as TeX draws a frame: top, left, right, bottom."""
    half = width / 2
    outer = Box(box.left - half, box.low - half, box.right + half, box.high + half)
    rules = (
        outer._replace(low=outer.high - width),
        outer._replace(right=outer.left + width),
        outer._replace(left=outer.right - width),
        outer._replace(high=outer.low + width),
    )
    return [rectangle_path(rule) for rule in rules]


def bar_path(x1: float, y1: float, x2: float, y2: float, width: float) -> str:
    """A straight line as a filled quadrangle."""
    length = math.hypot(x2 - x1, y2 - y1) or 1.0
    dx, dy = -(y2 - y1) / length * width / 2, (x2 - x1) / length * width / 2
    corners = ((x1 + dx, y1 + dy), (x2 + dx, y2 + dy), (x2 - dx, y2 - dy), (x1 - dx, y1 - dy))
    return "M" + "L".join(f"{x:g} {y:g}" for x, y in corners) + "Z"


def clipped_path(path: str, matrix: Matrix, clip: Box) -> str | None:
    """The path in root units cut to a box, or None if nothing needs to be cut.

    MathJax cuts only the straight pieces between the ends of long braces and arrows, so boxes are exact enough.
    """
    from svgelements import Path  # type: ignore[import-untyped]

    clip = Box(clip.left - _OVERLAP, clip.low - _OVERLAP, clip.right + _OVERLAP, clip.high + _OVERLAP)
    boxes = [transformed(Box(*sub.bbox()), matrix) for sub in Path(path).as_subpaths() if sub.bbox()]
    cut = [
        Box(max(b.left, clip.left), max(b.low, clip.low), min(b.right, clip.right), min(b.high, clip.high))
        for b in boxes
    ]
    if cut == boxes:
        return None
    return "".join(rectangle_path(b) for b in cut if b.left < b.right and b.low < b.high)
