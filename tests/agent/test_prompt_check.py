"""What a prompt must be before any work is spent on it."""

import pytest

from agent.errors import BadPrompt
from agent.prompt_check import check_prompt, undrawn_script


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "empty"),
        (" \n\t ", "empty"),
        ("x" * 20_000, "20,000 characters"),
        ("circle\x00", "U+0000 at position 7"),
        ("\x1b[31mred", "U+001B at position 1"),
        ("lone \udc80 surrogate", "U+DC80"),
        ("broken \ufffd bytes", "U+FFFD"),
        ("?!... ---", "no words"),
    ],
)
def test_a_prompt_that_cannot_be_worked_on_gets_one_sentence(text: str, words: str) -> None:
    with pytest.raises(BadPrompt, match=r"\.$") as caught:
        check_prompt(text)
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "text", ["a circle", "Покажи круг", "显示一个圆", "دائرة زرقاء", "line one\nline two\ttab", "∫ x dx"]
)
def test_prompts_in_any_language_are_welcome(text: str) -> None:
    check_prompt(text)


@pytest.mark.parametrize(
    ("text", "script"),
    [
        ("a circle with radius r² and angle θ", None),
        ("Кошка и ёлка", None),
        ("naïve Größe", None),
        ("a map from ℝ to ℂ with ℓ = 3 µm", None),
        ("圆的面积", "CJK"),
        ("دائرة", "Arabic"),
        ("वृत्त", "Devanagari"),
        ("원", "Hangul"),
        ("ひらがな", "Hiragana"),
    ],
)
def test_scripts_that_the_font_cannot_draw_are_named(text: str, script: str | None) -> None:
    assert undrawn_script(text) == script
