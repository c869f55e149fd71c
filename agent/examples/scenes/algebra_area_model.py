"""Visualise the formula for (a + b) squared as the area of a square cut into four pieces.

binomial formula expand brackets area model square rectangle product identity theorem Pythagoras Pythagorean
"""

from manim import *


class AreaModel(Scene):
    def construct(self):
        title = Text("A square with side a + b", font_size=40).to_edge(UP)
        a, b = 2.6, 1.4
        big = Square(a, color=BLUE, fill_opacity=0.5)
        right = Rectangle(width=b, height=a, color=GREEN, fill_opacity=0.5).next_to(big, RIGHT, buff=0)
        below = Rectangle(width=a, height=b, color=GREEN, fill_opacity=0.5).next_to(big, DOWN, buff=0)
        small = Square(b, color=RED, fill_opacity=0.5).next_to(below, RIGHT, buff=0)
        pieces = VGroup(big, right, below, small).move_to(LEFT * 3 + DOWN * 0.7)
        areas = VGroup()
        for piece, tex in zip(pieces, ["a^2", "ab", "ab", "b^2"]):
            areas.add(MathTex(tex).move_to(piece))
        top = VGroup(Brace(big, UP), Brace(right, UP))
        sides = VGroup(*[MathTex(tex).next_to(brace, UP, buff=0.1) for tex, brace in zip("ab", top)])
        formula = MathTex("(a+b)^2", "=", "a^2", "+", "2ab", "+", "b^2").move_to(RIGHT * 3 + DOWN * 0.7)
        formula[2].set_color(BLUE)
        formula[4].set_color(GREEN)
        formula[6].set_color(RED)

        self.play(Write(title), Create(pieces), run_time=2)
        self.play(GrowFromCenter(top), FadeIn(sides))
        self.play(Write(areas), Write(formula[:2]))
        self.play(TransformFromCopy(areas[0], formula[2]))
        self.play(FadeIn(formula[3]), FadeTransform(areas[1:3].copy(), formula[4]))
        self.play(FadeIn(formula[5]), TransformFromCopy(areas[3], formula[6]))
        self.wait()
