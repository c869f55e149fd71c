"""Manim's own examples: read from the sources of whatever version is installed, kept in a cache that heals itself."""

import ast
import importlib.metadata
import json
import subprocess
import sys
from pathlib import Path

import pytest

from agent.examples.library import Example
from agent.retrieval import docstrings
from agent.retrieval.docstrings import (
    CACHE_NAME,
    directives_of,
    load_docstrings,
    package_folder,
    read_docstrings,
)

DOCSTRING = """
A wheel that rolls. See :class:`~.Circle` and :meth:`.Mobject.rotate`.

Examples
--------

.. manim:: RollingExample
    :save_last_frame:
    :ref_classes: Circle

    class RollingExample(Scene):
        def construct(self):

            self.add(Circle())

It can also move:

.. manim:: Second

  class Second(Scene):
      def construct(self):
          self.play(Create(Circle()))

Parameters
----------
speed
    How fast.
"""


@pytest.fixture(scope="module")
def installed() -> tuple[Example, ...]:
    return read_docstrings(package_folder())


def package(folder: Path, docstring: str = DOCSTRING, module: str = "wheels") -> Path:
    """A small package like Manim, with one class whose docstring is given."""
    root = folder / "manimlike"
    root.mkdir(exist_ok=True)
    code = f"class Wheel:\n    r{docstring!r}\n" if "\\" in docstring else f'class Wheel:\n    """{docstring}"""\n'
    (root / f"{module}.py").write_text(code, encoding="utf-8")
    return root


def test_the_installed_manim_gives_hundreds_of_examples(installed: tuple[Example, ...]) -> None:
    assert len(installed) > 300
    assert len({example.id for example in installed}) == len(installed)
    assert len({example.code for example in installed}) == len(installed)
    assert {example.source for example in installed} == {"docstring"}
    assert 0.2 < sum(example.moving for example in installed) / len(installed) < 0.8


def test_every_example_is_complete_code_with_a_scene(installed: tuple[Example, ...]) -> None:
    for example in installed:
        module = ast.parse(example.code)
        assert example.code.count("from manim import *") == 1
        assert any(isinstance(node, ast.ClassDef) for node in module.body), example.id


def test_prompts_are_plain_sentences(installed: tuple[Example, ...]) -> None:
    for example in installed:
        assert example.prompt.strip()
        assert "\n" not in example.prompt
        assert "``" not in example.prompt
        assert ":class:" not in example.prompt
        assert len(example.prompt) <= docstrings.PROMPT_LIMIT + 4


def test_what_the_sandbox_cannot_run_is_left_out(installed: tuple[Example, ...]) -> None:
    for example in installed:
        assert "OpenGL" not in example.code
        assert "Typst" not in example.code
        assert "add_sound" not in example.code
        assert "import networkx" not in example.code


def test_manim_is_not_imported(tmp_path: Path) -> None:
    program = (
        "import sys; from pathlib import Path; from agent.retrieval.docstrings import load_docstrings;"
        f"assert load_docstrings(Path({str(tmp_path)!r})); assert 'manim' not in sys.modules"
    )
    done = subprocess.run([sys.executable, "-c", program], check=False, capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_a_block_ends_where_the_indentation_ends_and_keeps_blank_lines() -> None:
    first, second = directives_of(DOCSTRING)
    assert first.name == "RollingExample"
    assert first.options == (":save_last_frame:", ":ref_classes: Circle")
    assert first.code.startswith("class RollingExample(Scene):")
    assert first.code.endswith("self.add(Circle())")
    assert "\n\n" in first.code
    assert first.lead == ""
    assert second.lead == "It can also move:"
    assert "Parameters" not in second.code


def test_a_picture_is_tagged_still_and_the_prompt_says_what_it_shows(tmp_path: Path) -> None:
    still, moving = read_docstrings(package(tmp_path))
    assert still.id == "manimlike.wheels.Wheel:RollingExample"
    assert not still.moving
    assert still.prompt == "Wheel. A wheel that rolls. See Circle and Mobject.rotate"
    assert moving.moving
    assert moving.prompt.endswith("It can also move")


@pytest.mark.parametrize(
    "body",
    [
        "class A(Scene):\n        def construct(self:",
        'class A(Scene):\n        def construct(self):\n            self.add(SVGMobject("rocket"))',
        'class A(Scene):\n        def construct(self):\n            self.add(ImageMobject("cat.png"))',
        "import pandas\n    class A(Scene):\n        pass",
        "from scipy import stats\n    class A(Scene):\n        pass",
        "Circle()",
    ],
)
def test_broken_blocks_files_and_foreign_packages_are_left_out(tmp_path: Path, body: str) -> None:
    assert read_docstrings(package(tmp_path, f".. manim:: A\n\n    {body}\n")) == ()


def test_one_name_used_twice_gives_two_ids_and_repeated_code_one_example(tmp_path: Path) -> None:
    block = ".. manim:: A\n\n    class A(Scene):\n        def construct(self):\n            self.wait({})\n\n"
    root = package(tmp_path, block.format(1) + block.format(2) + block.format(1))
    assert [example.id for example in read_docstrings(root)] == [
        "manimlike.wheels.Wheel:A",
        "manimlike.wheels.Wheel:A-2",
    ]


def test_the_cache_is_used_while_the_installation_is_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = load_docstrings(tmp_path)
    monkeypatch.setattr(docstrings, "read_docstrings", lambda _: pytest.fail("read again"))
    assert load_docstrings(tmp_path) == first
    assert [path.name for path in tmp_path.iterdir()] == [CACHE_NAME]


def test_the_cache_is_rebuilt_when_the_installation_changes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    load_docstrings(tmp_path)
    monkeypatch.setattr(docstrings, "installation_key", lambda: "9.9.9-other")
    monkeypatch.setattr(docstrings, "package_folder", lambda: package(tmp_path))
    assert len(load_docstrings(tmp_path)) == 2
    assert json.loads((tmp_path / CACHE_NAME).read_text(encoding="utf-8"))["key"] == "9.9.9-other"


def test_the_key_names_the_version_and_follows_the_file_list(monkeypatch: pytest.MonkeyPatch) -> None:
    before = docstrings.installation_key()
    assert before.startswith(importlib.metadata.version("manim") + "-")
    monkeypatch.setattr(importlib.metadata.Distribution, "read_text", lambda *_: "another list")
    monkeypatch.setattr(importlib.metadata.PathDistribution, "read_text", lambda *_: "Version: 1\n")
    assert docstrings.installation_key() != before


@pytest.mark.parametrize("content", ["", "{", "[]", "null", '{"key": 1}', '{"key": "KEY", "examples": [{"id": 3}]}'])
def test_a_broken_cache_is_rebuilt(tmp_path: Path, content: str) -> None:
    path = tmp_path / CACHE_NAME
    path.write_text(content.replace("KEY", docstrings.installation_key()), encoding="utf-8")
    assert len(load_docstrings(tmp_path)) > 300
    assert len(json.loads(path.read_text(encoding="utf-8"))["examples"]) > 300


def test_the_cache_folder_is_made(tmp_path: Path) -> None:
    assert load_docstrings(tmp_path / "not" / "there")
