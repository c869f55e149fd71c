"""Add two vectors tip to tail on a coordinate grid and compare with adding their coordinates.

vector addition sum arrows tip to tail parallelogram coordinates plane
"""

from manim import *


class TipToTail(Scene):
    def construct(self):
        plane = NumberPlane(
            x_range=[-1, 7], y_range=[-1, 5], x_length=8, y_length=6, background_line_style={"stroke_opacity": 0.4}
        ).to_edge(LEFT)
        origin = plane.c2p(0, 0)
        u = Arrow(origin, plane.c2p(4, 1), buff=0, color=BLUE)
        v = Arrow(origin, plane.c2p(1, 3), buff=0, color=GREEN)
        total = Arrow(origin, plane.c2p(5, 4), buff=0, color=YELLOW)
        u_name = MathTex("u", color=BLUE).next_to(plane.c2p(2.5, 0.6), UP, buff=0.1)
        v_name = MathTex("v", color=GREEN).next_to(v.get_center(), RIGHT)

        self.play(Create(plane))
        self.play(GrowArrow(u), Write(u_name))
        self.play(GrowArrow(v), Write(v_name))
        self.play(VGroup(v, v_name).animate.shift(u.get_vector()), run_time=1.5)
        self.play(GrowArrow(total))

        columns = VGroup(
            Matrix([[4], [1]]).set_color(BLUE),
            MathTex("+"),
            Matrix([[1], [3]]).set_color(GREEN),
            MathTex("="),
            Matrix([[5], [4]]).set_color(YELLOW),
        )
        columns.arrange(RIGHT, buff=0.2).scale(0.85).next_to(plane, RIGHT, buff=0.8)
        self.play(FadeIn(columns[:3]))
        self.play(Write(columns[3]), TransformFromCopy(total, columns[4]))
        self.wait()
