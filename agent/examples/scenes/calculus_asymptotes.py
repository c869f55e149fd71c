"""Plot a rational function with a pole and show its vertical and horizontal asymptotes.

asymptote pole hyperbola rational function 1/x infinity discontinuity branches limit graph tan
"""

from manim import *


class PoleAndAsymptotes(Scene):
    def construct(self):
        axes = Axes(x_range=[-4, 6, 1], y_range=[-4, 6, 1], x_length=9, y_length=6, tips=False)
        formula = MathTex(r"f(x) = 1 + \frac{2}{x - 1}").to_corner(UR)

        def f(x):
            return 1 + 2 / (x - 1)

        # One curve on each side of the pole; each stops where it would leave the axes.
        left = axes.plot(f, x_range=[-4, 0.6], color=BLUE)
        right = axes.plot(f, x_range=[1.4, 6], color=BLUE)
        vertical = DashedLine(axes.c2p(1, -4), axes.c2p(1, 6), color=RED)
        horizontal = DashedLine(axes.c2p(-4, 1), axes.c2p(6, 1), color=GREEN)
        vertical_label = MathTex("x = 1", color=RED, font_size=36).next_to(axes.c2p(1, -3.5), RIGHT)
        horizontal_label = MathTex("y = 1", color=GREEN, font_size=36).next_to(axes.c2p(-4, 1), UP, aligned_edge=LEFT)

        self.play(Create(axes), Write(formula))
        self.play(Create(left), Create(right), run_time=2)
        self.play(Create(vertical), FadeIn(vertical_label))
        self.play(Create(horizontal), FadeIn(horizontal_label))
        runner = Dot(color=YELLOW).move_to(right.get_end())
        self.play(FadeIn(runner))
        self.play(MoveAlongPath(runner, right.copy().reverse_points()), run_time=2)
        self.wait()
