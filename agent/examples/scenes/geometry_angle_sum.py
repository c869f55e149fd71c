"""Prove that the three angles of a triangle add up to a straight line by turning the corners to the top.

angle sum 180 degrees interior angles proof straight angle corner sector rotate copy theorem polygon
"""

from manim import *


class AngleSum(Scene):
    def construct(self):
        title = Text("The angles of a triangle make a straight line", font_size=36).to_edge(UP)
        a, b, c = [-3.5, -2.2, 0], [3.5, -2.2, 0], [0.8, 1.6, 0]
        triangle = Polygon(a, b, c, color=WHITE)
        corner_a = Angle(Line(a, b), Line(a, c), radius=0.9, color=RED, stroke_width=8)
        corner_b = Angle(Line(b, c), Line(b, a), radius=0.9, color=GREEN, stroke_width=8)
        corner_c = Angle(Line(c, a), Line(c, b), radius=0.9, color=BLUE, stroke_width=8)
        parallel = DashedLine(LEFT * 4, RIGHT * 4, color=GRAY).move_to(c)

        self.play(Write(title), Create(triangle))
        self.play(Create(corner_a), Create(corner_b), Create(corner_c))
        self.play(Create(parallel))

        # A half turn about the middle of a side carries the corner to the top of the triangle.
        middle_left = triangle.get_vertices()[[0, 2]].mean(axis=0)
        middle_right = triangle.get_vertices()[[1, 2]].mean(axis=0)
        self.play(Rotate(corner_a.copy(), PI, about_point=middle_left), run_time=2)
        self.play(Rotate(corner_b.copy(), -PI, about_point=middle_right), run_time=2)

        result = Text("red + blue + green = 180°", font_size=34, t2c={"red": RED, "blue": BLUE, "green": GREEN})
        self.play(Write(result.to_edge(DOWN)))
        self.wait()
