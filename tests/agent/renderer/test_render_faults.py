"""Code that is wrong: the kind, symbol, line and message that the model gets."""

from collections.abc import Callable

import pytest
from studio import STILL, Studio

from agent.types import ErrorKind

Construct = Callable[[str], str]


def test_a_syntax_error_has_its_line(studio: Studio) -> None:
    failed = studio("from manim import *\nclass Demo(Scene):\n    def construct(self):\n        self.play(\n").render
    assert (failed.ok, failed.error_kind, failed.line) == (False, ErrorKind.SYNTAX, 4)
    assert failed.message == "SyntaxError: '(' was never closed"


def test_text_that_python_cannot_read_is_a_syntax_error(studio: Studio) -> None:
    assert studio("x = 1\0").render.error_kind is ErrorKind.SYNTAX
    assert studio("def f():\nreturn 1\n").render.message.startswith("IndentationError: expected an indented block")


@pytest.mark.parametrize(
    ("line", "symbol", "message"),
    [
        ("self.play(ShowCreation(Circle()))", "ShowCreation", "NameError: name 'ShowCreation' is not defined"),
        ("Square(side=2)", "side", "TypeError: Mobject.__init__() got an unexpected keyword argument 'side'"),
        ("Circle().paint(RED)", "paint", "AttributeError: Circle object has no attribute 'paint'"),
        ("from manim import Sphear", "Sphear", "ImportError: cannot import name 'Sphear' from 'manim'"),
        ("from manim.mobject import Box", "Box", "ImportError: cannot import name 'Box' from 'manim.mobject'"),
        ("import manimlib", "manimlib", "ModuleNotFoundError: No module named 'manimlib'"),
    ],
)
def test_an_invented_name_is_the_symbol_of_the_error(
    studio: Studio, construct: Construct, line: str, symbol: str, message: str
) -> None:
    failed = studio(construct(line)).render
    assert (failed.error_kind, failed.error_symbol, failed.line) == (ErrorKind.PYTHON, symbol, 4)
    assert failed.message.startswith(message)
    assert (
        "│" not in failed.message
        and "site-packages" not in failed.message
        and len(failed.traceback_tail.splitlines()) <= 10
    )
    assert failed.traceback_tail.splitlines()[-1].startswith(message)  # later Pythons add what they suggest


def test_an_error_inside_a_function_of_the_code_has_the_deepest_line(studio: Studio) -> None:
    failed = studio(
        """\
        from manim import *
        def spread(things):
            for thing in things:
                thing.arrange(DIAGONAL)
        class Demo(Scene):
            def construct(self):
                spread([VGroup(Dot(), Dot())])
        """
    ).render
    assert (failed.error_kind, failed.error_symbol, failed.line) == (ErrorKind.PYTHON, "DIAGONAL", 4)
    assert "thing.arrange(DIAGONAL)" in failed.traceback_tail


def test_code_without_a_scene_says_so(studio: Studio) -> None:
    nothing = studio("from manim import *\nx = Circle\n").render
    assert nothing.error_kind is ErrorKind.NO_SCENE and "no class that derives from Scene" in nothing.message
    empty = studio("from manim import *\nclass Demo(ThreeDScene):\n    pass\n").render
    assert empty.error_kind is ErrorKind.NO_SCENE and "construct" in empty.message and "Demo" in empty.message


def test_nothing_to_clear_is_a_python_error(studio: Studio, construct: Construct) -> None:
    failed = studio(construct("self.play(FadeOut(*self.mobjects))")).render
    assert (failed.error_kind, failed.line) == (ErrorKind.PYTHON, 4)
    assert "At least one mobject must be passed" in failed.message


def test_a_formula_that_cannot_be_set_is_a_latex_error(studio: Studio, construct: Construct) -> None:
    failed = studio(construct(r"self.add(MathTex(r'\undefinedmacro{x}'))")).render
    assert (failed.error_kind, failed.line) == (ErrorKind.LATEX, 4)
    assert "undefinedmacro" in failed.message


def test_a_question_on_stdin_ends_at_once(studio: Studio, construct: Construct) -> None:
    failed = studio(construct("input('which scene?')")).render
    assert (failed.error_kind, failed.line) == (ErrorKind.PYTHON, 4) and "EOFError" in failed.message


@pytest.mark.parametrize("way", ["import os; os._exit(0)", "import os; os._exit(3)"])
def test_code_that_ends_the_process_is_blamed_itself(studio: Studio, construct: Construct, way: str) -> None:
    failed = studio(construct(way)).render
    assert failed.error_kind is ErrorKind.PYTHON and "ended the Python process itself" in failed.message


def test_code_that_exits_or_crashes_python_is_blamed_itself(studio: Studio, construct: Construct) -> None:
    exits = studio(construct("raise SystemExit(0)")).render
    assert (exits.error_kind, exits.line) == (ErrorKind.PYTHON, 4)
    crash = studio(construct("import os, signal\nos.kill(os.getpid(), signal.SIGSEGV)")).render
    assert crash.error_kind is ErrorKind.PYTHON and "crashed with signal 11" in crash.message


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("open('/etc/passwd')", "FileNotFoundError"),
        ("open('/usr/lib/mine', 'w')", "own folder"),
        ("import urllib.request; urllib.request.urlopen('http://example.org')", "no network"),
        ("import subprocess; subprocess.run(['latex'])", "must not start other programs"),
    ],
)
def test_what_no_scene_may_do_is_forbidden(studio: Studio, construct: Construct, line: str, words: str) -> None:
    failed = studio(construct(line)).render
    assert (failed.error_kind, failed.line) == (ErrorKind.FORBIDDEN, 4)
    assert words in failed.message


def test_a_missing_picture_is_a_python_error(studio: Studio, construct: Construct) -> None:
    failed = studio(construct("self.add(ImageMobject('cat.png'))")).render
    assert (failed.error_kind, failed.line) == (ErrorKind.PYTHON, 4) and "cat.png" in failed.message


def test_control_characters_do_not_reach_a_message_or_log(studio: Studio, construct: Construct) -> None:
    made = studio(construct(r"print('\x1b[31mred\x07 \u202egnp.exe')" + "\n" + r"raise ValueError('a\x1b[2Jb\x00c')"))
    assert made.render.message == "ValueError: abc"
    assert made.log.startswith("red gnp.exe")


def test_the_next_render_is_not_disturbed_by_a_failed_one(studio: Studio) -> None:
    studio("import os; os._exit(1)")
    assert studio(STILL).render.ok


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (r"raise RuntimeError('boom\nline two')", "RuntimeError: boom line two"),
        (r"raise ValueError('bad \udcff half')", "ValueError: bad ? half"),
        ("raise type('E' * 300, (Exception,), {})('x')", "E" * 200 + ": x"),
        ("raise SystemExit", "SystemExit (a scene must not stop or debug the program)"),
    ],
)
def test_a_message_is_one_line_whatever_the_code_raises(
    studio: Studio, construct: Construct, line: str, message: str
) -> None:
    failed = studio(construct(line)).render
    assert (failed.error_kind, failed.message, failed.line) == (ErrorKind.PYTHON, message, 4)


def test_a_message_without_end_is_cut(studio: Studio, construct: Construct) -> None:
    failed = studio(construct("raise ValueError('x' * 100_000)")).render
    assert len(failed.message) <= 600


def test_a_line_that_the_program_does_not_have_is_not_told(studio: Studio, construct: Construct) -> None:
    forged = (
        "import json, os; open('/job/result.json', 'w').write(json.dumps({'stage': 'render', 'error': "
        "{'type': 'E', 'message': 'm', 'line': 999999}})); os._exit(0)"
    )
    assert studio(construct(forged)).render.line is None


def test_code_that_forks_until_it_may_not_is_told_so(studio: Studio, construct: Construct) -> None:
    for _ in range(3):  # the children race for the report
        assert studio(construct("import os\nwhile True: os.fork()")).render.error_kind is ErrorKind.FORBIDDEN
