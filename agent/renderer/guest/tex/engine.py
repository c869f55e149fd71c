"""MathJax in QuickJS: one TeX formula in, one SVG text out."""

import functools
import html
import importlib.util
import json
import re
from pathlib import Path
from typing import Protocol, cast

STACK_BYTES = 6 << 20  # mhchem's deep recursion needs it; the engine's own limit of 1 MB ends in a crash
HEAP_BYTES = 256 << 20

# What we take out of the bundle's package list: without `noundefined` an unknown command is an error instead of red
# text, and `physics` silently changes the meaning of \div, \Re, \sin( and other standard commands.
_UNWANTED = '"noundefined","physics",'
_WITH_PHYSICS = '"physics",'

# Commands of small packages that models use without asking, and a \cancel that is as wide as what it strikes out.
_CANCEL = r"\let\wide@\@\renewcommand{\@}[1]{\wide@[data-padding=0.05em,data-thickness=0.04em]{#1}}"
_PRELUDE = "".join(
    (
        *(_CANCEL.replace("@", name) for name in ("cancel", "bcancel", "xcancel")),
        r"\newcommand{\bm}[1]{\boldsymbol{#1}}\newcommand{\mathds}[1]{\mathbb{#1}}\newcommand{\mathbbm}[1]{\mathbb{#1}}",
        r"\newcommand{\degree}{{}^{\circ}}\newcommand{\hdots}{\ldots}",
    )
)

_ERROR = re.compile(r'data-mjx-error="([^"]*)"')
_UNSET_TEXT = re.compile(r"<text (?![^>]*data-id-align)[^>]*>([^<]+)</text>")


class TexError(ValueError):
    """The formula cannot be set; the message is one short sentence for the model that wrote it."""


class _Context(Protocol):
    """The part of `quickjs.Context` that is used here (its other distribution, quickjs-ng, has the same)."""

    def eval(self, code: str) -> object: ...
    def set_max_stack_size(self, limit: int) -> None: ...
    def set_memory_limit(self, limit: int) -> None: ...


@functools.cache
def _context(physics: bool) -> _Context:
    """Load MathJax: 0.3 s, so only when the first formula comes."""
    import quickjs

    context = cast(_Context, quickjs.Context())
    context.set_max_stack_size(STACK_BYTES)
    context.set_memory_limit(HEAP_BYTES)
    context.eval(_bundle(physics))
    context.eval(f"render({json.dumps(_PRELUDE)})")
    return context


def _bundle(physics: bool) -> str:
    """The MathJax source in the quickjax wheel, found without importing it: it would start an engine of its own."""
    spec = importlib.util.find_spec("quickjax")
    if spec is None or spec.origin is None:
        raise RuntimeError("the package quickjax is not installed")
    source = (Path(spec.origin).parent / "js" / "mathjax_bundle.js").read_text(encoding="utf-8")
    if source.count(_UNWANTED) != 1:
        raise RuntimeError("this version of quickjax holds another MathJax bundle than the one we know")
    return source.replace(_UNWANTED, _WITH_PHYSICS if physics else "")


def render(tex: str, *, display: bool = True, physics: bool = False) -> str:
    """The SVG of a formula. Raises TexError with MathJax's own words if it cannot be set."""
    function = "render" if display else "renderInline"
    # The answer goes through JSON because quickjs-ng cannot hand over long joined strings as they are.
    try:
        answer = _context(physics).eval(f"JSON.stringify({function}({json.dumps(tex)}))")
    except Exception as error:  # noqa: BLE001 - the engine's exception class differs between its two distributions
        raise TexError(str(error).splitlines()[0].removeprefix("Error: MathJax render error: ")) from None
    svg = str(json.loads(str(answer)))
    if failed := _ERROR.search(svg):
        raise TexError(html.unescape(failed[1]).rstrip("."))
    if unset := _UNSET_TEXT.findall(svg):
        separator = "" if all(len(piece) == 1 for piece in unset) else " "
        words = html.unescape(separator.join(unset)).replace("\u00a0", " ").strip()
        raise TexError(f"cannot set '{words}' in a formula; use Text")
    return svg
