r"""Formulas through the real manim classes: they are set, their parts are the right ones, errors say what to do."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from manim import (
    BLUE,
    RED,
    Axes,
    BraceLabel,
    BulletedList,
    DecimalNumber,
    MathTex,
    Matrix,
    Mobject,
    Square,
    Tex,
    TexTemplate,
    Title,
    TransformMatchingTex,
    tempconfig,
)
from manim.mobject.text import tex_mobject
from manim.utils import tex_file_writing

from agent.renderer.guest.tex import TexError, install, tokens
from agent.renderer.guest.tex.setting import Template, draw

POINT = 0.05 * 0.99626  # one TeX point in manim's units at the default font size


@pytest.fixture(autouse=True)
def mathjax(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    for module in (tex_mobject, tex_file_writing):
        monkeypatch.setattr(module, "tex_to_svg_file", module.tex_to_svg_file)  # so that it is put back afterwards
    install()
    with tempconfig({"media_dir": str(tmp_path)}):
        yield


def glyphs(formula: MathTex) -> list[int]:
    """How many glyphs each part has."""
    return [len(part.submobjects) for part in formula.submobjects]


def colored(formula: MathTex, color: Any) -> int:
    return sum(glyph.get_fill_color() == color for glyph in formula.family_members_with_points())


FORMULAS = {
    r"x": 1,
    r"\frac{d}{dx} x^2 = 2x": 9,
    r"a^2+b^2=c^2": 8,
    r"\sum_{n=1}^\infty \frac{1}{n^2} = \frac{\pi^2}{6}": 14,
    r"\int_0^1 \sqrt{1-x^2}\,dx": 11,
    r"\lim_{x\to 0}\frac{\sin x}{x}=1": 14,
    r"f''(x)": 6,
    r"\sqrt[3]{x+1}": 6,
    r"\begin{pmatrix} a & b \\ c & d\end{pmatrix}": 6,
    r"\begin{bmatrix}1&2\\3&4\end{bmatrix}^{-1}": 8,
    r"f(x)=\begin{cases} x & x>0 \\ -x & \text{if } x \le 0\end{cases}": 17,
    r"\begin{array}{c|c} a & b \\ \hline c & d \end{array}": 6,
    r"a &= b+c \\ &= d": 7,
    r"\begin{aligned} a&=b\\ &=c\end{aligned}": 5,
    r"\left(\frac{a}{b}\right)^2": 6,
    r"\left. x \right|_{0}^{1}": 4,
    r"\binom{n}{k}": 4,
    r"\hat{x}+\vec{v}+\dot{a}": 8,
    r"\mathbb{R}\mathcal{L}\mathbf{E}\mathrm{abc}": 6,
    r"\text{area} = \pi r^2": 8,
    r"\boxed{x}": 5,
    r"\cancel{x}": 2,
    r"A \xrightarrow[b]{a} B": 5,
    r"\ce{2H2 + O2 -> 2H2O}": 11,
    r"\underbrace{a+b}_{n}": 5,
    r"\operatorname{lcm}(a,b)": 8,
    r"x \notin \mathbb R": 3,
    r"a \div b \times \Re z": 6,
    r"\bm{x}\cdot 90\degree": 5,
    r"E=mc^2\tag{1}": 8,
}


@pytest.mark.parametrize(("formula", "count"), FORMULAS.items())
def test_a_formula_is_set_in_one_part_with_all_its_glyphs(formula: str, count: int) -> None:
    made = MathTex(formula)
    assert len(made) == 1
    assert glyphs(made) == [count]
    assert all(glyph.has_points() for glyph in made[0])


TEXTS = {
    r"Hello world": 10,
    r"The area is $\pi r^2$, \textbf{bold}": 17,
    r"first office": 8,  # with ligatures, as TeX has them
    r"one \\ two": 6,
    r"\LaTeX{} costs 50\% \& \$5": 16,
    r"caf\'e ``quoted'' --- dash": 18,
    r"{\Large big} {\bfseries bold}": 7,
    r"sum: \[ x^2 \] and $$y$$": 10,
    r"\begin{itemize}\item one \item $x$\end{itemize}": 6,
    r"\begin{align*}a&=b\\c&=d\end{align*}": 6,
    r"$\alpha$ and \(\beta\)": 5,
}


@pytest.mark.parametrize(("text", "count"), TEXTS.items())
def test_a_text_is_set_with_all_its_glyphs(text: str, count: int) -> None:
    assert glyphs(Tex(text)) == [count]


@pytest.mark.parametrize(
    ("parts", "counts"),
    [
        (("a^2", "+", "b^2", "=", "c^2"), [2, 1, 2, 1, 2]),
        ((r"{{ a^2 }} + {{ b^2 }}",), [0, 2, 1, 2, 0]),
        (("e^{i", r"\tau} = 1"), [2, 3]),
        ((r"\frac{a", r"}{b}"), [2, 1]),
        (("x", "^2"), [1, 1]),
        (("f", "'", "(x)", "=", "2x"), [1, 1, 3, 1, 2]),
        ((r"\left( \frac{a}{b}", r"\right)", "= c"), [4, 1, 2]),
        ((r"a &= b \\", "c &= d"), [3, 3]),
        ((r"\sqrt{x}", r"\sqrt[3]{y}"), [3, 4]),
        ((1, "+", 2.5), [1, 1, 3]),
    ],
)
def test_each_argument_is_a_part(parts: tuple[str, ...], counts: list[int]) -> None:
    assert [count for count in glyphs(MathTex(*parts)) if count] == [count for count in counts if count]


def test_glyphs_come_in_the_order_of_tex() -> None:
    top, bar, bottom = MathTex(r"\frac{a}{b}")[0]
    assert top.get_y() > bar.get_y() > bottom.get_y()
    base, upper, lower = MathTex("x_i^2")[0]
    assert base.get_x() < upper.get_x()
    assert lower.get_y() < upper.get_y()
    limit, sign, start = MathTex(r"\sum_{i}^{n}")[0]
    assert limit.get_y() > sign.get_y() > start.get_y()


def test_colors_by_tex_reach_the_right_glyphs() -> None:
    formula = MathTex(r"\frac{x}{2x} = f'(x)", tex_to_color_map={"x": RED})
    assert colored(formula, RED) == 3
    isolated = MathTex("a^2", "+", "b^2", substrings_to_isolate=["b"])
    isolated.set_color_by_tex("b", BLUE)
    assert colored(isolated, BLUE) == 1
    assert colored(MathTex(r"\theta + e^x", tex_to_color_map={"e": RED}), RED) == 1, "no e of theta"
    inside = MathTex(r"f=\begin{cases} x & x>0 \\ -x & \text{if } x \le 0\end{cases}", tex_to_color_map={"x": RED})
    assert colored(inside, RED) == 4


def test_colors_of_tex_itself_are_kept() -> None:
    formula = MathTex(r"\color{red} x + \textcolor{#0000ff}{y}")
    assert [glyph.get_fill_color().to_hex() for glyph in formula[0]] == ["#FF0000", "#FF0000", "#0000FF"]


def test_matching_parts_are_found_for_a_transform() -> None:
    before = MathTex("x^2", "+", "y^2", "=", "1")
    after = MathTex("y^2", "=", "1", "-", "x^2")
    animation = TransformMatchingTex(before, after)
    moved, gone, come = animation.animations
    assert len(moved.mobject) == 4, "x^2, y^2, = and 1"
    assert (len(gone.mobject), len(come.mobject)) == (1, 1), "plus and minus"


def test_manims_own_users_of_tex_work() -> None:
    numbers: list[Mobject] = [DecimalNumber(3.14159), Matrix([[1, "x^2"], [r"\pi", 0]]), BraceLabel(Square(), r"\ell")]
    assert all(made.width > 0 for made in numbers)
    assert len(Axes(x_range=[0, 3], y_range=[0, 3]).add_coordinates().coordinate_labels) == 2
    listed = BulletedList("Item 1", "Item $x$", "third")
    assert glyphs(listed) == [6, 6, 6]  # the dot counts
    assert listed[0].get_left()[0] == pytest.approx(listed[2].get_left()[0])
    assert len(Title("A title")[0]) == 6


@pytest.mark.parametrize(
    ("formula", "height"),
    [
        ("x", 4.53),  # heights in points from the font's metrics
        ("1", 6.66),
        (r"(", 9.98),
        (r"\text{A}", 7.16),
    ],
)
def test_heights_are_those_of_latex(formula: str, height: float) -> None:
    assert MathTex(formula).height == pytest.approx(height * POINT, rel=0.05)


def test_lines_stand_as_far_apart_as_in_latex() -> None:
    first, second = MathTex("a &= b", r"\\ c &= d")
    assert first[1].get_y() - second[1].get_y() == pytest.approx(15 * POINT, rel=0.01)
    upper, lower = Tex(r"xx\\", "xx")
    assert upper.get_y() - lower.get_y() == pytest.approx(12 * POINT, rel=0.01)


def test_long_braces_and_lines_end_where_they_should() -> None:
    formula = MathTex(r"\overline{abcdefghij}")[0]
    assert formula[0].width == pytest.approx(formula[1:].width, rel=0.05)


MARKED = [*FORMULAS, *(text for text in TEXTS if "f" not in text)]


@pytest.mark.parametrize("formula", MARKED)
def test_marks_move_nothing(formula: str) -> None:
    """Where every character is a part of its own, the picture stays the same to the last digit."""
    template = Template("align*" if formula in FORMULAS else "center")
    plain = tokens.read_tokens(formula)
    marked = [replace(token, owner=(f"part{index}",)) for index, token in enumerate(plain)]
    drawn = [
        [(shape.path, *(round(number) for number in shape.matrix)) for shape in draw(list(of), template)]
        for of in (plain, marked)
    ]
    assert drawn[0] == drawn[1]


ERRORS = {
    r"\foo{x}": r"Undefined control sequence \foo in: \foo{x}",
    "面积 = \\pi r^2": "cannot set '面积' in a formula; use Text in: 面积 = \\pi r^2",
    r"\text{Привет} x": r"cannot set 'Привет' in a formula; use Text in: \text{Привет} x",
    "\frac{1}{2}": "the formula holds a control character: write it as a raw string r'...' in: rac{1}{2}",
    "2 \times 3": "the formula holds a control character: write it as a raw string r'...' in: 2 imes 3",
    "$x^2$": "MathTex is in math mode already; leave out the $ signs, or use Tex in: $x^2$",
    r"\begin{align} x&=1 \end{align}": r"MathTex is an align* environment already; leave out \begin{align}, or use "
    r"aligned in: \begin{align} x&=1 \end{align}",
    "x^2^3": "Double exponent: use braces to clarify in: x^2^3",
    r"\begin{foo}x\end{foo}": r"Unknown environment 'foo' in: \begin{foo}x\end{foo}",
    "50%": r"'%' begins a comment in TeX; write \% for the sign in: 50%",
    r"\color{GREEN_E} x": "Undefined color 'GREEN_E' (TeX knows other names than manim; use set_color) in: "
    r"\color{GREEN_E} x",
}


@pytest.mark.parametrize(("formula", "sentence"), ERRORS.items())
def test_an_error_in_a_formula_is_one_sentence(formula: str, sentence: str) -> None:
    with pytest.raises(TexError) as raised:
        MathTex(formula)
    assert str(raised.value) == sentence


TEXT_ERRORS = {
    r"\sqrt{3}": r"\sqrt is only supported in math mode (put mathematics between $ signs, or use MathTex)",
    r"cost_fn & loss #1": "'_' allowed only in math mode (put mathematics between $ signs, or use MathTex)",
    "a & b": r"Misplaced '&' (outside a formula write \&; in MathTex it aligns lines)",
    "loss #1": r"Misplaced '#' (write \# for the sign)",
    "a $x": "Math mode is not properly terminated",
    r"\begin{tabular}{c}a\end{tabular}": "Tex knows no environment 'tabular' (use Table for tables, MathTex for "
    "formulas)",
}


@pytest.mark.parametrize(("text", "sentence"), TEXT_ERRORS.items())
def test_an_error_in_a_text_is_one_sentence(text: str, sentence: str) -> None:
    with pytest.raises(TexError) as raised:
        Tex(text)
    assert str(raised.value) == f"{sentence} in: {text}"


def test_an_error_is_the_same_whatever_the_parts() -> None:
    with pytest.raises(TexError, match=r"^Undefined control sequence \\foo in: x \+ \\foo$"):
        MathTex("x", "+", r"\foo", substrings_to_isolate=["x"])


def test_a_template_may_define_commands_and_ask_for_physics() -> None:
    template = TexTemplate()
    template.add_to_preamble(r"\newcommand{\R}{\mathbb{R}}" + "\n" + r"\usepackage{physics}")
    assert glyphs(MathTex(r"\R \dv{f}{x}", tex_template=template)) == [6]


def test_a_formula_is_set_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tex_mobject.tex_to_svg_file("x+y", "align*", None)
    monkeypatch.setattr("agent.renderer.guest.tex.shim.set_expression", lambda *_: pytest.fail("set again"))
    assert tex_mobject.tex_to_svg_file("x+y", "align*", None) == file
    assert file.is_relative_to(tmp_path)
    assert [entry.suffix for entry in file.parent.iterdir()] == [".svg"]
