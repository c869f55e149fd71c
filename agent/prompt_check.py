"""What a prompt must be before any work is spent on it."""

import unicodedata

from agent.errors import BadPrompt

MAX_PROMPT_CHARACTERS = 4_000
# What stands where bytes were no text.
NO_CHARACTER = "\ufffd"
# The scripts that the renderer's own font draws on every machine.
ACRONYMS = ("CJK",)
DRAWN_SCRIPTS = ("LATIN", "GREEK", "CYRILLIC")


def check_prompt(text: str) -> None:
    """Raise BadPrompt with one sentence that says what to change, or return."""
    if not text.strip():
        raise BadPrompt("The prompt is empty: write in a sentence what the animation should show.")
    if len(text) > MAX_PROMPT_CHARACTERS:
        raise BadPrompt(
            f"The prompt has {len(text):,} characters and {MAX_PROMPT_CHARACTERS:,} are the most: shorten it."
        )
    for position, character in enumerate(text, start=1):
        is_control = character not in "\n\t\r" and unicodedata.category(character) in ("Cc", "Cs", "Co", "Cn")
        if is_control or character == NO_CHARACTER:
            raise BadPrompt(
                f"The prompt holds a character that is not text (U+{ord(character):04X} at position {position}): "
                "remove it and ask again."
            )
    if not any(character.isalnum() for character in text):
        raise BadPrompt("The prompt holds no words: write in a sentence what the animation should show.")


def undrawn_script(text: str) -> str | None:
    """The first script in the prompt that the shipped font cannot draw ("CJK", "Arabic" …), or None."""
    for character in unicodedata.normalize("NFKC", text):  # a double-struck R is an R
        if character.isalpha() and ord(character) > 127:
            script = unicodedata.name(character, "UNKNOWN").split()[0]
            if script not in DRAWN_SCRIPTS and not script.startswith(("MODIFIER", "MATHEMATICAL", "SUPERSCRIPT")):
                return script if script in ACRONYMS else script.title()
    return None
