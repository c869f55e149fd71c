"""Retrieval by resemblance: the right examples for a prompt, the same every time, quickly."""

import time
from pathlib import Path

import pytest

from agent.examples.library import GENERAL, SUBJECTS, Example, load_library
from agent.retrieval.index import ExampleIndex, build_index
from agent.retrieval.words import fold, identifiers, tokens


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(scope="module")
def everything(cache: Path) -> ExampleIndex:
    return build_index(cache)


@pytest.fixture(scope="module")
def own(cache: Path) -> ExampleIndex:
    return build_index(cache, sources=("own",))


def example(name: str, prompt: str, code: str = "", source: str = "own", tags: tuple[str, ...] = ()) -> Example:
    return Example(id=name, prompt=prompt, code=code or f"{name} = 1\n", source=source, tags=tags)


def ids(found: tuple[Example, ...]) -> list[str]:
    return [each.id for each in found]


@pytest.mark.parametrize(
    ("query", "subject"),
    [
        ("Show why the interior angles of a triangle sum to 180 degrees", "geometry"),
        ("Find all primes below fifty", "algebra"),
        ("What does the derivative of a function mean?", "calculus"),
        ("Approximate an integral with rectangles", "calculus"),
        ("Transform the grid with a 2x2 matrix", "linear"),
        ("Flip a coin many times and plot the frequency of heads", "statistics"),
        ("Traverse a graph with BFS", "graphs"),
        ("Insert a value in a BST", "algorithms"),
        ("Sort an array of numbers", "algorithms"),
        ("Explain the period of a pendulum", "physics"),
        ("Draw the electron shells of an oxygen atom", "chemistry"),
        ("Highlight lines of a Python program", "text"),
        ("Plot the surface z = x*y in 3D", "space"),
        ("Zoom the camera in on a small dot", "camera"),
    ],
)
def test_a_prompt_finds_its_subject(own: ExampleIndex, query: str, subject: str) -> None:
    assert SUBJECTS[subject] in own.search(query, 1)[0].tags


def test_every_example_is_found_by_its_own_prompt(everything: ExampleIndex) -> None:
    for each in load_library():
        assert everything.search(each.prompt, 1) == (each,)


def test_names_of_the_library_find_their_documentation(everything: ExampleIndex) -> None:
    assert any("RoundedRectangle" in each.code for each in everything.search("RoundedRectangle corner_radius"))


def test_two_different_examples_by_default(everything: ExampleIndex) -> None:
    for query in ("bar chart", "circle", "camera", "", "zzzz"):
        found = everything.search(query)
        assert len(set(ids(found))) == 2
        names = [set(identifiers(each.code)) for each in found]
        assert len(names[0] & names[1]) <= 0.7 * len(names[0] | names[1])


def test_near_copies_are_passed_over() -> None:
    code = "square = Square(side_length=2)\nself.play(Rotate(square, angle=PI))\n"
    index = ExampleIndex(
        [
            example("a", "turn a red square", code),
            example("b", "turn a blue square", code + "self.wait()\n"),
            example("c", "a square in a frame"),
        ]
    )
    assert ids(index.search("turn a red square")) == ["a", "c"]


def test_equal_scores_prefer_own_then_the_id() -> None:
    index = ExampleIndex([example("a", "a spiral", "x = 1", "docstring"), *(example(n, "a spiral") for n in "cb")])
    assert ids(index.search("spiral", 3)) == ["b", "c", "a"]


def test_it_gives_the_same_answer_whatever_the_order_it_was_built_in(everything: ExampleIndex) -> None:
    again = ExampleIndex(reversed(everything.examples))
    for query in ("moving point on a curve", "text that fades", "network", "nothing like it qqq"):
        assert again.search(query, 5) == everything.search(query, 5) == everything.search(query, 5)


def test_sources_leave_the_docstrings_out_without_touching_the_cache(tmp_path: Path) -> None:
    index = build_index(tmp_path / "unused", sources=("own",))
    assert index.examples == load_library()
    assert not (tmp_path / "unused").exists()


def test_docstrings_alone_still_answer(cache: Path) -> None:
    index = build_index(cache, sources=("docstring",))
    assert {each.source for each in index.search("circle") + index.search("qqq")} == {"docstring"}


def test_moving_examples_come_first_when_movement_is_wanted() -> None:
    still, moving = example("a", "a sine wave", tags=("still",)), example("b", "a sine wave")
    index = ExampleIndex([still, moving])
    assert ids(index.search("sine wave", 1)) == ["a"]
    assert ids(index.search("sine wave", 1, moving=False)) == ["a"]
    assert ids(index.search("sine wave", 1, moving=True)) == ["b"]


def test_a_much_better_picture_beats_a_moving_stray(everything: ExampleIndex) -> None:
    index = ExampleIndex([example("a", "a torus with a grid", tags=("still",)), example("b", "a grid of dots in rows")])
    assert ids(index.search("torus grid", 1, moving=True)) == ["a"]


@pytest.mark.parametrize("query", ["", "   ", "the of and", "please animate", "xyzzy", "重力について", "🎉"])
def test_without_overlap_the_general_examples_come(everything: ExampleIndex, query: str) -> None:
    assert set(ids(everything.search(query))) == set(GENERAL)


def test_one_clear_match_is_followed_by_its_subject(own: ExampleIndex) -> None:
    first, second = own.search("Tower of Hanoi")
    assert first.id == "algorithms_hanoi"
    assert SUBJECTS["algorithms"] in second.tags


@pytest.mark.parametrize("k", [0, 1, 3, 1000])
def test_k_is_kept(own: ExampleIndex, k: int) -> None:
    assert len(own.search("graph", k)) == min(k, len(own.examples))


def test_an_empty_index_answers_nothing() -> None:
    assert ExampleIndex([]).search("circle") == ()


def test_it_is_quick_and_silent(cache: Path, everything: ExampleIndex, capfd: pytest.CaptureFixture[str]) -> None:
    # Processor time, because other tests share the cores; a tenth of these numbers is usual.
    started = time.process_time()
    build_index(cache)
    assert time.process_time() - started < 0.5
    started = time.process_time()
    for _ in range(10):
        everything.search("show how a tangent slides along a curve and its slope changes", moving=True)
    assert (time.process_time() - started) / 10 < 0.02
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("SurroundingRectangle", ["surround", "rectangl"]),
        ("get_riemann_rectangles", ["riemann", "rectangl"]),
        ("ThreeDScene", ["thre", "d"]),
        ("a 3D plot", ["3d", "plot"]),
        ("the circles and the circle", ["circl", "circl"]),
        ("boxes, matrices, classes", ["box", "matric", "class"]),
        ("HTTPServer", ["http", "server"]),
        ("Größe", ["größe"]),
    ],
)
def test_prose_and_names_come_apart(text: str, words: list[str]) -> None:
    assert tokens(text) == words


@pytest.mark.parametrize(
    "forms",
    [
        ("rotate", "rotates", "rotating", "rotated"),
        ("move", "moving", "moved"),
        ("plot", "plots", "plotting", "plotted"),
        ("entry", "entries"),
        ("box", "boxes"),
    ],
)
def test_forms_of_a_word_are_one_word(forms: tuple[str, ...]) -> None:
    assert len({fold(form) for form in forms}) == 1


@pytest.mark.parametrize("word", ["ring", "string", "bus", "axis", "class", "red"])
def test_words_that_only_look_inflected_are_left(word: str) -> None:
    assert fold(word) == word


@pytest.mark.parametrize("query", ["A circle grows in the middle", "Rotate the plane by 45 degrees", "Draw y = cos x"])
def test_a_flat_prompt_is_not_taught_three_dimensions(everything: ExampleIndex, query: str) -> None:
    assert not any("ThreeD" in found.code for found in everything.search(query, moving=True))


@pytest.mark.parametrize("query", ["A sphere turns in space", "Plot the surface z = x y in 3D", "Five Platonic solids"])
def test_a_prompt_about_depth_is(everything: ExampleIndex, query: str) -> None:
    assert any("ThreeD" in found.code for found in everything.search(query, moving=True))
