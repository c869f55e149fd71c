"""The examples in the docstrings of the Manim that is installed here, always of the right version.

The `.. manim::` directives are read from the package's source files without importing it: importing costs a second,
reads the user's configuration and needs libraries that the web server doesn't have. Nothing of them is stored in this
repository; the cache belongs to the machine that has the package.
"""

import ast
import hashlib
import importlib.metadata
import importlib.util
import inspect
import json
import re
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from pydantic import TypeAdapter, ValidationError

from agent.errors import CannotStart
from agent.examples.library import STILL_TAG, Example

CACHE_NAME = "docstring_examples.json"
PROMPT_LIMIT = 240
ALLOWED_IMPORTS = frozenset(
    {"manim", "math", "numpy", "random", "itertools", "functools", "collections", "copy", "string"}
)
FILE_READERS = frozenset({"SVGMobject", "ImageMobject", "add_sound", "imread", "open"})

# Typst is an extra that the renderer doesn't have; OpenGL objects have twins that it can draw.
LEFT_OUT = re.compile(r"Typst|OpenGL|opengl|interactive_embed")

_DIRECTIVE = re.compile(r"^(?P<indent> *)\.\. manim:: *(?P<name>\w+)")
_HEADING = re.compile(r"""^([-=~^"'#*+])\1{2,}$""")
_ROLE = re.compile(r":[\w:]+:`~?\.?([^`<]+)(?: <[^`]*>)?`")
_LINK = re.compile(r" *<[^>]*://[^>]*>_*")
_MARKUP = re.compile(r"`{1,2}|\*{1,2}")
_EXAMPLES = TypeAdapter(tuple[Example, ...])


class Directive(NamedTuple):
    """One `.. manim::` block: its name, options and code, and the sentence that stands before it."""

    name: str
    options: tuple[str, ...]
    code: str
    lead: str


def load_docstrings(cache: Path) -> tuple[Example, ...]:
    """The examples of the installed Manim, from `cache` (a folder) when they were read from this very installation."""
    key = installation_key()
    path = cache / CACHE_NAME
    stored = read_cache(path, key)
    if stored is not None:
        return stored
    examples = read_docstrings(package_folder())
    write_cache(path, key, examples)
    return examples


def package_folder() -> Path:
    """Where the Manim package lies. Finding a top-level package's spec doesn't run it."""
    spec = importlib.util.find_spec("manim")
    if spec is None or spec.origin is None:
        raise CannotStart("Manim isn't installed in this environment, so its documentation can't be searched.")
    return Path(spec.origin).parent


def installation_key() -> str:
    """Changes with Manim's version, with any of its files, and with the way we read them."""
    try:
        distribution = importlib.metadata.distribution("manim")
    except importlib.metadata.PackageNotFoundError as error:
        raise CannotStart(
            "Manim isn't installed in this environment, so its documentation can't be searched."
        ) from error
    digest = hashlib.sha256((distribution.read_text("RECORD") or "").encode())
    digest.update(Path(__file__).read_bytes())
    return f"{distribution.version}-{digest.hexdigest()}"


def read_cache(path: Path, key: str) -> tuple[Example, ...] | None:
    """The stored examples, or None where there are none, they are of another installation, or the file is broken."""
    try:
        stored = json.loads(path.read_bytes())
        return _EXAMPLES.validate_python(stored["examples"]) if stored["key"] == key else None
    except (OSError, ValueError, KeyError, TypeError, ValidationError):
        return None


def write_cache(path: Path, key: str, examples: tuple[Example, ...]) -> None:
    """Replaces the file in one step, so that a reader never sees half of it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    content = json.dumps({"key": key, "examples": [example.model_dump() for example in examples]})
    with tempfile.NamedTemporaryFile("w", dir=path.parent, suffix=".tmp", delete=False, encoding="utf-8") as file:
        file.write(content)
    Path(file.name).replace(path)


def read_docstrings(package: Path) -> tuple[Example, ...]:
    """Every runnable example below a package folder, in the order of its id and without repeated code."""
    by_code: dict[str, Example] = {}
    for path in sorted(package.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        parts = path.relative_to(package.parent).with_suffix("").parts
        if ".. manim::" not in text or "opengl" in parts:
            continue
        module = ".".join(part for part in parts if part != "__init__")
        for name, docstring in docstrings_of(ast.parse(text), module):
            for directive in directives_of(docstring):
                example = as_example(directive, name, docstring)
                if example is not None:
                    by_code.setdefault(example.code, example)
    return tuple(sorted(numbered(by_code.values()), key=lambda example: example.id))


def numbered(examples: Iterable[Example]) -> Iterator[Example]:
    """The same examples, with a number after an id that came before: one docstring may use a name twice."""
    seen: Counter[str] = Counter()
    for example in examples:
        seen[example.id] += 1
        count = seen[example.id]
        yield example if count == 1 else example.model_copy(update={"id": f"{example.id}-{count}"})


def docstrings_of(tree: ast.Module, module: str) -> Iterator[tuple[str, str]]:
    """The dotted name and docstring of a module and of every class and function in it."""
    pending: list[tuple[str, ast.AST]] = [(module, tree)]
    while pending:
        name, node = pending.pop()
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            docstring = ast.get_docstring(node)
            if docstring:
                yield name, docstring
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
                pending.append((f"{name}.{child.name}", child))


def directives_of(docstring: str) -> Iterator[Directive]:
    """The `.. manim::` blocks of a docstring. A block is what is indented further than its directive."""
    lines = docstring.splitlines()
    for start, line in enumerate(lines):
        match = _DIRECTIVE.match(line)
        if match is None:
            continue
        block = []
        for below in lines[start + 1 :]:
            if below.strip() and len(below) - len(below.lstrip()) <= len(match["indent"]):
                break
            block.append(below)
        options = tuple(part.strip() for part in block if part.strip().startswith(":"))
        body = "\n".join(part for part in block if not part.strip().startswith(":"))
        yield Directive(match["name"], options, inspect.cleandoc("\n" + body).strip(), last_paragraph(lines[:start]))


def as_example(directive: Directive, name: str, docstring: str) -> Example | None:
    """The block as an Example, or None where it can't run by itself in the sandbox."""
    head = "" if directive.code.startswith("from manim import *") else "from manim import *\n\n"
    code = head + directive.code + "\n"
    try:
        module = ast.parse(code)
    except SyntaxError:
        return None
    if LEFT_OUT.search(code) or not runs_alone(module):
        return None
    moves = any(isinstance(node, ast.Attribute) and node.attr in {"play", "wait"} for node in ast.walk(module))
    tags = []
    if not moves or any(option.startswith(":save_last_frame:") for option in directive.options):
        tags.append(STILL_TAG)
    topic = name.rpartition(".")[2]
    sentences = [words_of(topic), first_paragraph(docstring), directive.lead]
    prompt = ". ".join(dict.fromkeys(sentence.rstrip(".:") for sentence in sentences if sentence))
    return Example(
        id=f"{name}:{directive.name}",
        prompt=shorten(prompt),
        code=code,
        source="docstring",
        tags=tuple(tags),
        keywords=f"{topic} {directive.name}",
    )


def runs_alone(module: ast.Module) -> bool:
    """Whether the code has a scene and needs no file, no window and no package that the sandbox lacks."""
    for node in ast.walk(module):
        if isinstance(node, ast.Import) and any(
            name.name.partition(".")[0] not in ALLOWED_IMPORTS for name in node.names
        ):
            return False
        if isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] not in ALLOWED_IMPORTS:
            return False
        if isinstance(node, ast.Call) and called_name(node) in FILE_READERS and reads_file(node):
            return False
    return any(isinstance(node, ast.ClassDef) for node in module.body)


def called_name(call: ast.Call) -> str:
    """The last part of what is called: `open` for `open(...)` and for `path.open(...)`."""
    if isinstance(call.func, ast.Attribute):
        return call.func.attr
    return call.func.id if isinstance(call.func, ast.Name) else ""


def reads_file(call: ast.Call) -> bool:
    """Whether the first argument is a text, so a path: `ImageMobject` takes an array of pixels as well."""
    return bool(call.args) and isinstance(call.args[0], ast.Constant) and isinstance(call.args[0].value, str)


def first_paragraph(docstring: str) -> str:
    """What a docstring says first, as one plain line."""
    return plain(docstring.strip().split("\n\n", maxsplit=1)[0])


def last_paragraph(lines: list[str]) -> str:
    """The sentence that leads into a block, or nothing where a heading or another block stands there."""
    paragraph = "\n".join(lines).rstrip().rpartition("\n\n")[2]
    last = paragraph.rpartition("\n")[2]
    return "" if _HEADING.match(last.strip()) or last.startswith((" ", "\t")) else plain(paragraph)


def plain(text: str) -> str:
    """Text without reStructuredText roles, marks and line breaks."""
    if ".. " in text:
        return ""
    return " ".join(_MARKUP.sub("", _LINK.sub("", _ROLE.sub(r"\1", text))).split())


def words_of(name: str) -> str:
    """`get_riemann_rectangles` and `SurroundingRectangle` as a reader would say them."""
    spaced = re.sub(r"(?<=[a-z])(?=[A-Z0-9])", " ", name.strip("_").replace("_", " "))
    return spaced[:1].upper() + spaced[1:].lower()


def shorten(text: str) -> str:
    """Cuts at a word, because a prompt only has to say what the code shows."""
    return text if len(text) <= PROMPT_LIMIT else text[:PROMPT_LIMIT].rpartition(" ")[0] + " ..."
