"""Inter as the default of manim's text: a bare system would set it in DejaVu Serif."""

import importlib.util
from pathlib import Path

FAMILY = "Inter"
_PACKAGE = "fontpkg_inter"


def install() -> None:
    """Register Inter's fonts with Pango, and let all text that names no other font use them.

    The two files hold every weight between them, upright and italic. `Paragraph` and `Code` are made of `Text`.
    """
    import manimpango
    from manim import MarkupText, Text

    for file in font_files():
        if not manimpango.register_font(str(file)):
            raise RuntimeError(f"Pango does not take the font {file.name}")
    Text.font_list.cache_clear()
    MarkupText.font_list.cache_clear()
    Text.set_default(font=FAMILY)
    MarkupText.set_default(font=FAMILY)


def font_files() -> list[Path]:
    """The font files in the wheel."""
    spec = importlib.util.find_spec(_PACKAGE)
    if spec is None or spec.origin is None:
        raise RuntimeError(f"the package {_PACKAGE} is not installed")
    return sorted((Path(spec.origin).parent / "files").glob("*.ttf"))
