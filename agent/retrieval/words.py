"""The words by which examples and queries are compared: prose and identifiers, in one folded form."""

import ast
import builtins
import keyword
import re
from functools import cache

_FUNCTION_WORDS = """
    a about after all also an and any are as at be been before being but by can could do does each for from get give
    had has have how i if in into is it its just let like make me more my need new of on one or other our out over
    please s same should so some such than that the their them then there these they this those through to up us use
    used using very want was we what when where which while will with would you your
"""
# That an animation is wanted is true of every prompt.
_REQUEST_WORDS = """
    animate animation create
    demonstrate display draw explain illustrate manim picture present scene show video visualise visualize
"""
STOP_WORDS = frozenset(_FUNCTION_WORDS.split()) | frozenset(_REQUEST_WORDS.split())
# Names that nearly every scene holds say nothing about its subject.
COMMON_NAMES = frozenset({"self", "construct", "scene", "play", "wait", "add", "np", "font_size", "color"})
PYTHON_WORDS = frozenset(keyword.kwlist) | frozenset(dir(builtins))

_INSIDE_A_NAME = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_WORD = re.compile(r"\d[dD]\b|\d+|[^\W\d_]+")
_VOWEL = re.compile(r"[aeiouy]")


def tokens(text: str) -> list[str]:
    """The folded words of a text, in order, without stop words. CamelCase and snake_case names come apart."""
    words = _WORD.findall(_INSIDE_A_NAME.sub(" ", text))
    return [fold(word) for word in map(str.lower, words) if word not in STOP_WORDS]


@cache
def fold(word: str) -> str:
    """Drops plural, -ed and -ing, so that `rotating circles` finds `rotate circle`."""
    if not word.isascii() or len(word) <= 3:
        return word
    word = singular(word)
    for ending in ("ing", "ed"):
        stem = word.removesuffix(ending)
        if stem != word and len(stem) > 1 and _VOWEL.search(stem):
            return stem[:-1] if len(stem) > 3 and stem[-1] == stem[-2] and stem[-1] not in "lsz" else stem
    return word.removesuffix("e")


def singular(word: str) -> str:
    """A plural's singular, by the rules that hold for most English nouns."""
    if word.endswith("ies"):
        return word[:-3] + "y"
    if word.endswith(("sses", "xes", "ches", "shes")):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith(("ss", "us", "is")) else word


def identifiers(code: str) -> list[str]:
    """The names that a code text uses or sets, each once: classes, methods, variables and keywords."""
    found: dict[str, None] = {}
    for node in ast.walk(ast.parse(code)):
        match node:
            case ast.Name(id=name) | ast.Attribute(attr=name) | ast.keyword(arg=str(name)) | ast.ClassDef(name=name):
                found[name] = None
            case _:
                continue
    return [name for name in found if name not in COMMON_NAMES and name not in PYTHON_WORDS]
