"""Inter as the default of manim's text: a bare system would set it in DejaVu Serif."""

import ctypes
import importlib.util
from pathlib import Path

FAMILY = "Inter"
_PACKAGE = "fontpkg_inter"
_FONTCONFIG = "libfontconfig.so.1"

# Inter joins "->" to one arrow and writes "3x4" with a times sign. Manim counts on one glyph for each character: parts
# of a text would get the wrong colour, and `disable_ligatures=True` would fail, for it does not reach this feature.
_RULES = f"""<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "urn:fontconfig:fonts.dtd">
<fontconfig>
  <match target="font">
    <test name="family"><string>{FAMILY}</string></test>
    <edit name="fontfeatures" mode="append"><string>-calt</string></edit>
  </match>
</fontconfig>
"""


def install() -> None:
    """Register Inter's fonts with Pango, and let all text that names no other font use them.

    The two files hold every weight between them, upright and italic. `Paragraph` and `Code` are made of `Text`.
    """
    import manimpango
    from manim import MarkupText, Text

    for file in font_files():
        if not manimpango.register_font(str(file)):
            raise RuntimeError(f"Pango does not take the font {file.name}")
    _add_rules(_RULES)
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


def _add_rules(rules: str) -> None:
    """Give Fontconfig rules on top of the system's, in this process only; Pango has loaded the library already."""
    fontconfig = ctypes.CDLL(_FONTCONFIG)
    current = fontconfig.FcConfigGetCurrent
    current.restype = ctypes.c_void_p
    load = fontconfig.FcConfigParseAndLoadFromMemory
    load.argtypes = (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int)
    if not load(current(), rules.encode(), 1):
        raise RuntimeError("Fontconfig does not take our rules")
