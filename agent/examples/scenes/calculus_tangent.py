"""Slide a tangent line along a cubic curve and show its slope as a changing number.

derivative tangent slope function curve rate of change moving value tracker graph
"""

from manim import *


class SlidingTangent(Scene):
    def construct(self):
        axes = Axes(x_range=[-3, 3, 1], y_range=[-3, 3, 1], x_length=8, y_length=5.5, tips=False).shift(DOWN * 0.5)

        def f(x):
            return x**3 / 4 - x

        def slope(x):
            return 3 * x**2 / 4 - 1

        curve = axes.plot(f, x_range=[-2.7, 2.7], color=BLUE)
        x = ValueTracker(-2.2)
        dot = always_redraw(lambda: Dot(axes.c2p(x.get_value(), f(x.get_value())), color=YELLOW))
        tangent = always_redraw(
            lambda: (
                Line(LEFT * 1.5, RIGHT * 1.5, color=YELLOW)
                .rotate(axes.angle_of_tangent(x.get_value(), curve))
                .move_to(dot)
            )
        )
        label = Text("slope =", font_size=36).to_corner(UL)
        number = DecimalNumber(slope(-2.2), font_size=42, color=YELLOW).next_to(label, RIGHT)
        number.add_updater(lambda mob: mob.set_value(slope(x.get_value())))

        self.play(Create(axes), Create(curve), run_time=2)
        self.play(FadeIn(dot, tangent, label, number))
        self.play(x.animate.set_value(2.2), run_time=5, rate_func=smooth)
        self.wait()
