"""The stand-in for manim's `tex_to_svg_file`."""

import hashlib
import re
from pathlib import Path
from typing import TYPE_CHECKING

from .engine import TexError
from .rules import check_source, explain
from .setting import Template, set_expression
from .tokens import read_tokens, without_marks

if TYPE_CHECKING:
    from manim.utils.tex import TexTemplate

_VERSION = 1  # raise it when the same source is to give another picture, so that cached ones are set again
_DEFINITION = re.compile(r"^\s*(\\(?:(?:re|provide)?newcommand|def|DeclareMathOperator)\b.*)$", re.MULTILINE)
_PHYSICS = re.compile(r"\\usepackage(?:\[[^\]]*\])?\{[^}]*\bphysics\b")


def install() -> None:
    """Let manim's Tex and MathTex be set by MathJax from now on."""
    from manim.mobject.text import tex_mobject
    from manim.utils import tex_file_writing

    tex_mobject.tex_to_svg_file = tex_to_svg_file  # type: ignore[attr-defined]
    tex_file_writing.tex_to_svg_file = tex_to_svg_file


def tex_to_svg_file(expression: str, environment: str | None = None, tex_template: "TexTemplate | None" = None) -> Path:
    """The SVG file of an expression, from manim's TeX folder if it was set before. Raises TexError."""
    from manim import config

    template = _template(environment, tex_template or config["tex_template"])
    key = repr((_VERSION, expression, template))
    folder = Path(config.get_dir("tex_dir"))
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / f"{hashlib.sha256(key.encode()).hexdigest()[:16]}.svg"
    if not file.exists():
        fresh = file.with_suffix(".new")
        fresh.write_text(_svg(expression, template), encoding="utf-8")
        fresh.replace(file)
    return file


def _svg(expression: str, template: Template) -> str:
    text = without_marks(expression)
    try:
        check_source(read_tokens(expression), text, mathematics=template.mathematics)
        return set_expression(expression, template)
    except TexError as error:
        raise explain(error, text) from None


def _template(environment: str | None, tex_template: "TexTemplate") -> Template:
    body = tex_template.body
    definitions = "".join(line + "\n" for line in _DEFINITION.findall(body))
    return Template(environment, definitions, physics=_PHYSICS.search(body) is not None)
