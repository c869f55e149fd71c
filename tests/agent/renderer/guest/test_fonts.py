"""Inter is what text is set in, in all its styles and alphabets, and no glyph is a box or joins two characters."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from manim import BOLD, ITALIC, Code, MarkupText, Paragraph, Text, tempconfig

from agent.renderer.guest import fonts

OTHER = "DejaVu Sans"


@pytest.fixture(autouse=True)
def inter(tmp_path: Path) -> Iterator[None]:
    fonts.install()
    with tempconfig({"media_dir": str(tmp_path)}):
        yield
    Text.set_default()
    MarkupText.set_default()


def outline(text: Text) -> list[int]:
    """How many points each glyph has."""
    return [len(glyph.points) for glyph in text.family_members_with_points()]


def test_text_that_names_no_font_is_set_in_inter() -> None:
    assert Text("Hello").font == MarkupText("Hello").font == fonts.FAMILY
    assert Paragraph("one", "two").lines_text.font == fonts.FAMILY
    assert outline(Text("agR")) == outline(Text("agR", font="Inter")) != outline(Text("agR", font="DejaVu Serif"))


def test_a_named_font_stays_and_code_keeps_its_own() -> None:
    assert Text("Hello", font=OTHER).font == OTHER
    assert MarkupText("Hello", font=OTHER).font == OTHER
    assert Code(code_string="il = 1", language="python").width > 0


def test_a_default_of_the_users_own_does_not_lose_inter() -> None:
    Text.set_default(font_size=20)
    assert Text("Hello").font == fonts.FAMILY
    Text.set_default(font=OTHER)
    assert Text("Hello").font == OTHER


def test_bold_and_italic_are_other_outlines() -> None:
    regular, bold, italic = Text("HIlo"), Text("HIlo", weight=BOLD), Text("HIlo", slant=ITALIC)
    assert bold.width > regular.width * 1.03
    stem = regular[1].width
    assert bold[1].width > stem * 1.4
    assert italic[1].width > stem * 1.5, "a slanted stem covers more width"


@pytest.mark.parametrize(
    "words", ["Hamburgefonts 0123", "αβγδ Ωμέγα", "Привет, мир", "äöü ñ ç ø ł", "→ ≤ ≠ \u00d7 ∞ √ ∑ ° ²"]
)
def test_letters_are_not_boxes(words: str) -> None:
    drawn = Text(words)
    letters = words.replace(" ", "")
    assert len(drawn) == len(letters)
    shapes = {tuple(np.round(glyph.points - glyph.get_center(), 2).ravel()) for glyph in drawn}
    assert len(shapes) >= len(set(letters)) - 2, "boxes would all look alike"


@pytest.mark.parametrize("words", ["a->b", "x=>y", "3x4", "fi ffi", "a!=b", "10:30", "..."])
def test_each_character_has_its_own_glyph(words: str) -> None:
    assert len(Text(words)) == len(MarkupText(words.replace(">", "&gt;"))) == len(words.replace(" ", ""))
    assert len(Text(words, disable_ligatures=True)) == len(words)
    assert outline(Text("3x4"))[1] == outline(Text("x"))[0], "the x of a product stays an x"
