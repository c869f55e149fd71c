"""Finds the examples that resemble a prompt most: BM25 over what they say and the names they use."""

import logging
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Literal

import bm25s
import numpy as np
from numpy.typing import NDArray

from agent.examples.library import GENERAL_TAG, STILL_TAG, Example, load_library
from agent.retrieval.docstrings import load_docstrings
from agent.retrieval.words import identifiers, tokens

# It logs every build and empty query at DEBUG and opens its logger wide on import, past the level of the root logger.
logging.getLogger("bm25s").setLevel(logging.WARNING)

Source = Literal["own", "docstring"]
ALL_SOURCES: tuple[Source, ...] = ("own", "docstring")

# What an example says it shows counts more than the names it needs on the way.
PROMPT_WEIGHT = 3
# Own examples are laid out to be looked at, docstring examples often show one call and nothing else, so an own
# example may be a little less similar and still teach more.
OWN_FACTOR = 1.25
STILL_FACTOR = 0.6
# A program in three dimensions teaches a flat prompt the wrong scene class, and models copy it.
DEPTH_FACTOR = 0.4
DEPTH_WORDS = frozenset(
    tokens(
        "3d three dimensional space spatial depth surface solid volume sphere spherical ball cube cuboid cone "
        "cylinder torus prism pyramid tetrahedron octahedron dodecahedron icosahedron polyhedron helix paraboloid "
        "ellipsoid orbit"
    )
)
# An example that reaches less than this share of the best score shares a stray word with the query: one of the same
# subject teaches more than, say, a surface in space because both say "rotate".
RELATIVE_FLOOR = 0.35
# Above this share of common names, a second example repeats the first instead of adding to it.
NEAR_DUPLICATE = 0.7


class ExampleIndex:
    """A fixed set of examples, searchable by resemblance. Equal queries give equal answers."""

    def __init__(self, examples: Iterable[Example]) -> None:
        # Own examples first: the position decides ties.
        self.examples = tuple(sorted(examples, key=lambda example: (example.source != "own", example.id)))
        self._names = [frozenset(identifiers(example.code)) for example in self.examples]
        self._subjects = [frozenset(example.tags) - {GENERAL_TAG, STILL_TAG} for example in self.examples]
        documents = [document(*parts) for parts in zip(self.examples, self._subjects, self._names, strict=True)]
        self._known = {word for words in documents for word in words}
        self._ranker = bm25s.BM25(backend="numpy", csc_backend="numpy")
        if self._known:
            self._ranker.index(documents, show_progress=False)
        self._own = np.array([OWN_FACTOR if example.source == "own" else 1.0 for example in self.examples])
        self._still = np.array([1.0 if example.moving else STILL_FACTOR for example in self.examples])
        self._depth = np.array([DEPTH_FACTOR if "ThreeD" in example.code else 1.0 for example in self.examples])

    def search(self, query: str, k: int = 2, *, moving: bool | None = None) -> tuple[Example, ...]:
        """The k examples most like the query, best first, none a near copy of another.

        With `moving` true, examples that animate something come before equally good pictures; programs in three
        dimensions come far back unless the query speaks of depth. Where fewer than k
        resemble the query, others of the best one's subject follow, then the most general: own ones tagged so.
        """
        chosen: list[int] = []
        for candidate in self._candidates(self._scores(query, moving)):
            if len(chosen) >= k:
                break
            if not any(self._near_duplicates(candidate, other) for other in chosen):
                chosen.append(candidate)
        return tuple(self.examples[i] for i in chosen)

    def _candidates(self, scores: NDArray[np.float64]) -> list[int]:
        """Every position, best first; some come twice, which the check for near copies takes out."""
        # A stable sort of rounded scores: float noise must not decide between equals.
        ranked = [int(i) for i in np.argsort(-np.round(scores, 4), kind="stable")]
        floor = RELATIVE_FLOOR * max(scores, default=0.0)
        alike = [i for i in ranked if scores[i] > floor]
        subject = self._subjects[alike[0]] if alike else frozenset()
        related = [i for i in ranked if subject & self._subjects[i]]
        general = sorted(range(len(self.examples)), key=lambda i: (GENERAL_TAG not in self.examples[i].tags, i))
        return alike + related + general

    def _scores(self, query: str, moving: bool | None) -> NDArray[np.float64]:
        words = [word for word in dict.fromkeys(tokens(query)) if word in self._known]
        if not words:
            return np.zeros(len(self.examples))
        scores: NDArray[np.float64] = np.asarray(self._ranker.get_scores(words), dtype=np.float64) * self._own
        if not DEPTH_WORDS.intersection(tokens(query)):
            scores = scores * self._depth
        return scores * self._still if moving else scores

    def _near_duplicates(self, one: int, other: int) -> bool:
        names, others = self._names[one], self._names[other]
        return one == other or len(names & others) > NEAR_DUPLICATE * len(names | others)


def document(example: Example, subjects: frozenset[str], names: frozenset[str]) -> list[str]:
    """The words under which an example is found."""
    words = tokens(f"{example.prompt} {example.keywords} {' '.join(sorted(subjects))}")
    return words * PROMPT_WEIGHT + tokens(" ".join(sorted(names)))


def build_index(cache: Path, sources: Sequence[Source] = ALL_SOURCES) -> ExampleIndex:
    """The index over the given sources. `cache` is a folder of this user for what was read from Manim.

    Leave "docstring" out when measuring a benchmark that was made from Manim's documentation: its answers would stand
    in the question.
    """
    examples: list[Example] = []
    if "own" in sources:
        examples += load_library()
    if "docstring" in sources:
        examples += load_docstrings(cache)
    return ExampleIndex(examples)
