"""The own examples are what the model imitates most, so each must parse, move, and look different over time."""

import ast
import itertools
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from PIL import Image, ImageChops

from agent.examples.library import GENERAL, SCENES, SUBJECTS, Example, load_library, read_example
from agent.renderer.client import RendererClient
from agent.renderer.protocol import RenderRequest
from agent.retrieval.words import identifiers

EXAMPLES = load_library()
MAX_CODE_LINES = 40

each_example = pytest.mark.parametrize("example", EXAMPLES, ids=[example.id for example in EXAMPLES])


def methods_called(module: ast.Module) -> Counter[str]:
    calls = (node.func for node in ast.walk(module) if isinstance(node, ast.Call))
    return Counter(func.attr for func in calls if isinstance(func, ast.Attribute))


def test_every_subject_has_at_least_three() -> None:
    subjects = Counter(tag for example in EXAMPLES for tag in example.tags)
    assert all(subjects[subject] >= 3 for subject in SUBJECTS.values())


def test_prompts_and_class_names_are_unique() -> None:
    assert len({example.prompt.lower() for example in EXAMPLES}) == len(EXAMPLES)
    classes = [node.name for e in EXAMPLES for node in ast.parse(e.code).body if isinstance(node, ast.ClassDef)]
    assert len(set(classes)) == len(EXAMPLES)


def test_no_two_have_nearly_the_same_code() -> None:
    names = {example.id: set(identifiers(example.code)) for example in EXAMPLES}
    for one, other in itertools.combinations(names, 2):
        assert len(names[one] & names[other]) <= 0.6 * len(names[one] | names[other]), (one, other)


def test_the_general_examples_exist() -> None:
    assert {example.id for example in EXAMPLES if "general" in example.tags} == set(GENERAL)


def test_loading_is_silent_and_imports_no_manim() -> None:
    program = (
        "import sys; from agent.examples.library import load_library; load_library(); assert 'manim' not in sys.modules"
    )
    done = subprocess.run([sys.executable, "-c", program], check=False, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_it_is_read_once() -> None:
    assert load_library() is EXAMPLES


@pytest.mark.parametrize(("name", "text"), [("geometry_x.py", "x = 1\n"), ("cooking_soup.py", '"""Cook a soup."""\n')])
def test_a_file_of_another_shape_is_refused(tmp_path: Path, name: str, text: str) -> None:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=name):
        read_example(path)


def test_keywords_and_docstring_are_not_in_the_code() -> None:
    for example in EXAMPLES:
        assert example.keywords
        assert ast.get_docstring(ast.parse(example.code)) is None
        assert example.prompt not in example.code


@each_example
def test_it_is_a_short_complete_scene_that_plays_and_waits(example: Example) -> None:
    module = ast.parse(example.code)
    scenes = [node for node in module.body if isinstance(node, ast.ClassDef)]
    called = methods_called(module)

    assert len(scenes) == 1
    assert "from manim import *" in example.code
    assert len(example.prompt.split()) >= 6
    assert len(example.code.splitlines()) <= MAX_CODE_LINES
    assert called["play"] >= 2
    assert ast.unparse(scenes[0]).rstrip().endswith("self.wait()")


@each_example
def test_it_needs_no_file_and_typesets_no_formula_per_frame(example: Example) -> None:
    module = ast.parse(example.code)
    used = set(identifiers(example.code))
    assert not used & {"ImageMobject", "SVGMobject", "add_sound", "open"}
    redrawn = [
        node
        for node in ast.walk(module)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "always_redraw"
    ]
    assert not any(word in ast.unparse(node) for node in redrawn for word in ("MathTex(", "Tex(", "Text("))


@each_example
def test_it_renders_and_its_frames_differ(example: Example, renderer: RendererClient, tmp_path: Path) -> None:
    render = renderer.render(RenderRequest(code=example.code, out_dir=str(tmp_path)), should_stop=lambda: False)

    assert render.ok, f"{render.error_kind}: {render.message}\n{render.traceback_tail}"
    assert render.animations >= 2
    assert render.scenes_skipped == ()
    pictures = [Image.open(tmp_path / frame.path).convert("RGB") for frame in render.frames]
    changed = [ImageChops.difference(a, b).getbbox() is not None for a, b in itertools.pairwise(pictures)]
    assert sum(changed) >= len(changed) // 2


def test_every_scene_file_is_an_example() -> None:
    assert [example.id for example in EXAMPLES] == sorted(
        path.stem for path in SCENES.iterdir() if path.suffix == ".py"
    )
