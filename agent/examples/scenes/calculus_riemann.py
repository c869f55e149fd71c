"""Approximate the area under a curve with thinner and thinner rectangles until it is exact.

integral Riemann sum area under curve rectangles limit definite integral shade region
"""

from manim import *


class RiemannSum(Scene):
    def construct(self):
        axes = Axes(
            x_range=[0, 5, 1], y_range=[0, 4, 1], x_length=8, y_length=4.5, axis_config={"include_numbers": True}
        ).shift(DOWN * 0.6)
        curve = axes.plot(lambda x: 3 - (x - 2) ** 2 / 4, x_range=[0, 4.5], color=WHITE)
        caption = Text("4 rectangles", font_size=36).to_edge(UP)
        rectangles = axes.get_riemann_rectangles(curve, x_range=[0, 4], dx=1, color=[BLUE, GREEN], fill_opacity=0.7)

        self.play(Create(axes), Create(curve), run_time=2)
        self.play(FadeIn(rectangles, lag_ratio=0.2), Write(caption))
        for dx in [0.5, 0.25, 0.125]:
            finer = axes.get_riemann_rectangles(
                curve, x_range=[0, 4], dx=dx, color=[BLUE, GREEN], fill_opacity=0.7, stroke_width=0.5
            )
            next_caption = Text(f"{int(4 / dx)} rectangles", font_size=36).move_to(caption)
            self.play(ReplacementTransform(rectangles, finer), ReplacementTransform(caption, next_caption))
            rectangles, caption = finer, next_caption
            self.wait(0.5)
        area = axes.get_area(curve, x_range=(0, 4), color=[BLUE, GREEN], opacity=0.7)
        exact = Text("the integral", font_size=36, color=YELLOW).move_to(caption)
        self.play(FadeOut(rectangles), FadeIn(area), ReplacementTransform(caption, exact))
        self.wait()
