"""Show the solutions of an inequality as an interval on the number line with an open and a closed end.

number line interval inequality absolute value solution set open closed circle brace
"""

from manim import *


class IntervalOnLine(Scene):
    def construct(self):
        inequality = MathTex(r"-2 < x \le 3", font_size=60).to_edge(UP, buff=0.8)
        line = NumberLine(x_range=[-5, 5, 1], length=11, include_numbers=True, include_tip=True).shift(DOWN * 0.5)
        left = Circle(radius=0.13, color=YELLOW, fill_color=BLACK, fill_opacity=1).move_to(line.n2p(-2))
        right = Dot(line.n2p(3), radius=0.13, color=YELLOW)
        interval = Line(line.n2p(-2), line.n2p(3), color=YELLOW, stroke_width=10)
        brace = Brace(interval, UP, buff=0.4)
        brace_text = Text("all solutions", font_size=30).next_to(brace, UP)

        self.play(Write(inequality))
        self.play(Create(line))
        self.play(GrowFromEdge(interval, LEFT), run_time=1.5)
        self.play(FadeIn(left, scale=2), FadeIn(right, scale=2))
        self.play(GrowFromCenter(brace), FadeIn(brace_text))

        probe = Triangle(color=RED, fill_opacity=1).scale(0.15).rotate(PI).next_to(line.n2p(-2), UP, buff=0.15)
        self.play(FadeIn(probe))
        self.play(probe.animate.next_to(line.n2p(3), UP, buff=0.15), run_time=2)
        self.wait()
