"""From an answer to a program: fences, prose, several blocks, cut-off text (FAULTS B28)."""

import textwrap
import time

import pytest

from agent.extraction import extract_block, extract_scene, same_program
from agent.types import ErrorKind, FinishReason

SCENE = "from manim import *\n\n\nclass Demo(Scene):\n    def construct(self):\n        self.play(Create(Circle()))\n"
OTHER = SCENE.replace("Demo", "Better").replace("Circle", "Square")
STOP, LENGTH = FinishReason.STOP, FinishReason.LENGTH


def fence(code: str, language: str = "python") -> str:
    return f"```{language}\n{code}```\n"


@pytest.mark.parametrize(
    "answer",
    [
        fence(SCENE),
        fence(SCENE, ""),
        fence(SCENE, "py"),
        f"Here is the code:\n\n{fence(SCENE)}\nIt draws a circle.\n\n```bash\nmanim -ql demo.py\n```\n",
        f"<think>first {fence('x = 1')} hm</think>\n{fence(SCENE)}",
        f"<CODE>\n{fence(SCENE)}</CODE>",
        f"```python\n{SCENE}",
        SCENE,
        f"Sure! Here it is.\n{SCENE}\nThis program draws a circle for you.",
        f"{fence('pip install manim', 'sh')}{fence(SCENE)}",
        fence(SCENE).replace("```", "~~~~"),
    ],
)
def test_it_takes_the_program_out_of_whatever_stands_around_it(answer: str) -> None:
    extraction = extract_scene(answer, STOP)
    assert extraction.error_kind is None
    assert same_program(extraction.code, SCENE)


def test_of_two_programs_it_takes_the_one_that_the_model_ended_with() -> None:
    assert extract_scene(fence(SCENE) + "Better:\n" + fence(OTHER), STOP).code == OTHER


def test_a_second_program_that_does_not_parse_does_not_win() -> None:
    assert extract_scene(fence(SCENE) + fence(OTHER.replace("))", "(")), STOP).code == SCENE


def test_blocks_are_joined_when_the_scene_builds_on_definitions_before_it() -> None:
    helper = "from manim import *\n\n\ndef ring():\n    return Circle(color=BLUE)\n"
    scene = "class Demo(Scene):\n    def construct(self):\n        self.play(Create(ring()))\n"
    code = extract_scene(f"First a function:\n{fence(helper)}Then the scene:\n{fence(scene)}", STOP).code
    assert "def ring" in code
    assert "class Demo" in code


def test_a_shell_line_in_a_fence_is_never_joined() -> None:
    assert extract_scene(fence("manim -ql x.py Demo\n") + fence(SCENE), STOP).code == SCENE


@pytest.mark.parametrize(
    ("answer", "finish", "kind"),
    [
        ("", STOP, ErrorKind.NO_CODE),
        ("   \n", STOP, ErrorKind.NO_CODE),
        ("I cannot draw that.", STOP, ErrorKind.NO_CODE),
        (fence(SCENE[:-8]), LENGTH, ErrorKind.TRUNCATED),
        (f"```python\n{SCENE[:-8]}", LENGTH, ErrorKind.TRUNCATED),
        (fence(SCENE[:-8]), STOP, ErrorKind.SYNTAX),
        (fence("circle = Circle()\n"), STOP, ErrorKind.NO_SCENE),
        (fence("x = '" + "\x00" + "'\nclass A(Scene): pass\n"), STOP, ErrorKind.SYNTAX),
        (fence("class A(Scene):\n    x = " + "(" * 5000), STOP, ErrorKind.SYNTAX),
    ],
)
def test_an_answer_that_cannot_run_is_told_apart_before_a_render(
    answer: str, finish: FinishReason, kind: ErrorKind
) -> None:
    extraction = extract_scene(answer, finish)
    assert extraction.error_kind is kind
    assert extraction.message


def test_a_program_cut_where_it_happens_to_parse_is_truncated_all_the_same() -> None:
    cut = SCENE.rsplit(".", 1)[0] + ".pl\n"
    assert extract_scene(f"```python\n{cut}", LENGTH).error_kind is ErrorKind.TRUNCATED
    assert extract_scene(cut, LENGTH).error_kind is ErrorKind.TRUNCATED
    assert extract_scene(SCENE[:-9], STOP).error_kind is ErrorKind.SYNTAX


def test_a_whole_program_in_an_answer_that_was_cut_later_is_taken() -> None:
    assert extract_scene(f"{fence(SCENE)}It shows a cir", LENGTH).error_kind is None


def test_a_fence_inside_a_list_is_moved_to_the_margin() -> None:
    answer = "1. The program:\n" + textwrap.indent(fence(SCENE), "   ")
    assert extract_scene(answer, STOP).code == SCENE
    assert extract_block(answer, STOP).code == SCENE


@pytest.mark.parametrize(
    "answer", ["class A(" + "Scen" * 40_000, "<code><" + " " * 200_000, "```" * 60_000, "<think>" * 30_000]
)
def test_no_answer_can_keep_the_extraction_busy(answer: str) -> None:
    started = time.process_time()
    extract_scene(answer, STOP)
    extract_block(answer, STOP)
    assert time.process_time() - started < 10, "a minute or more means a pattern that backtracks"


def test_half_a_program_says_on_which_line_it_breaks() -> None:
    extraction = extract_scene(fence(SCENE + "        self.play(c.animate.shift(RIG\n"), STOP)
    assert extraction.line == 7


def test_a_megabyte_of_text_is_read_in_a_moment() -> None:
    assert extract_scene("word " * 200_000, STOP).error_kind is ErrorKind.NO_CODE
    assert extract_scene("```python\n" + "x = 1\n" * 150_000, STOP).error_kind is ErrorKind.NO_SCENE


class TestThePapersRule:
    def test_it_takes_the_last_code_block(self) -> None:
        answer = f"<CODE>{fence(SCENE)}</CODE> or <CODE>{fence(OTHER)}</CODE>"
        assert extract_block(answer, STOP).code == OTHER

    def test_it_falls_back_to_the_last_fence(self) -> None:
        assert extract_block(fence(SCENE) + fence(OTHER), STOP).code == OTHER

    def test_it_mends_a_tag_that_is_not_closed(self) -> None:
        assert extract_block(f"<CODE>\n```python\n{SCENE}", LENGTH).code == SCENE

    def test_it_renders_even_what_cannot_parse(self) -> None:
        assert extract_block(fence("class A(Scene:"), STOP).error_kind is None

    def test_a_tag_in_the_prose_is_not_a_program(self) -> None:
        answer = f"<CODE>{fence(SCENE)}</CODE> I used the <code>Circle</code> class."
        assert extract_block(answer, STOP).code == SCENE

    def test_prose_is_no_code(self) -> None:
        assert extract_block("No.", STOP).error_kind is ErrorKind.NO_CODE


def test_comments_and_blank_lines_do_not_make_another_program() -> None:
    assert same_program(SCENE, "# a circle\n" + SCENE.replace("\n\n\n", "\n\n"))
    assert not same_program(SCENE, OTHER)
