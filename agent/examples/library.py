"""The project's own examples: short scenes that show a model how each subject is animated well.

A file `scenes/SUBJECT_topic.py` is one example. The first line of its docstring is the prompt, the lines after it are
search words that are never shown to a model, and the code below the docstring is what the model sees. The scenes are
read, never imported, so this module works where Manim isn't installed.
"""

import ast
from functools import cache
from pathlib import Path
from typing import Literal

from agent.types import Record

SCENES = Path(__file__).parent / "scenes"

SUBJECTS = {
    "geometry": "geometry",
    "algebra": "algebra and number theory",
    "calculus": "calculus",
    "linear": "linear algebra",
    "statistics": "probability and statistics",
    "graphs": "graphs and networks",
    "algorithms": "algorithms and data structures",
    "physics": "physics",
    "chemistry": "chemistry",
    "text": "text, tables and code",
    "space": "3D",
    "camera": "camera and motion",
}

STILL_TAG = "still"
GENERAL_TAG = "general"

# What to show when a query resembles nothing. Together these two hold what nearly every scene needs and little
# else: a title, shapes with labels beside them, colour, grouping, `.animate`, a clean hand-over from one object to
# the next and a closing wait.
GENERAL = ("geometry_shapes", "text_steps")


class Example(Record):
    """A prompt and the code that answers it. `tags` are subjects, "still" (nothing moves) and "general"."""

    id: str
    prompt: str
    code: str
    source: Literal["own", "docstring"]
    tags: tuple[str, ...] = ()
    keywords: str = ""

    @property
    def moving(self) -> bool:
        """Whether the code animates something, as opposed to showing one picture."""
        return STILL_TAG not in self.tags


@cache
def load_library() -> tuple[Example, ...]:
    """Every own example in the order of its id; the files are read once per process."""
    return tuple(read_example(path) for path in sorted(SCENES.glob("*.py")))


def read_example(path: Path) -> Example:
    """One scene file as an Example. Raises ValueError where the file isn't of the agreed shape."""
    text = path.read_text(encoding="utf-8")
    module = ast.parse(text, filename=path.name)
    docstring = ast.get_docstring(module)
    subject = path.stem.split("_", maxsplit=1)[0]
    if not docstring or subject not in SUBJECTS:
        raise ValueError(f"{path.name} needs a docstring with its prompt and a name that starts with a known subject.")
    prompt, _, keywords = docstring.partition("\n")
    code_starts_after = module.body[0].end_lineno
    code = "\n".join(text.splitlines()[code_starts_after:]).strip() + "\n"
    tags = [SUBJECTS[subject]]
    if path.stem in GENERAL:
        tags.append(GENERAL_TAG)
    return Example(
        id=path.stem,
        prompt=prompt.strip(),
        code=code,
        source="own",
        tags=tuple(tags),
        keywords=" ".join(keywords.split()),
    )
