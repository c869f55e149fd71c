"""Reflect a flag in a mirror line and show that each point stays at the same distance from it.

reflection symmetry mirror axis flip image transformation distance dashed
"""

from manim import *


class MirrorImage(Scene):
    def construct(self):
        title = Text("Reflection in a line", font_size=42).to_edge(UP)
        mirror = DashedLine(UP * 2.3, DOWN * 3, color=YELLOW)
        mirror_name = Text("mirror", font_size=26, color=YELLOW).next_to(mirror, DOWN, buff=0.15)
        flag = Polygon(
            [-1.2, -2, 0], [-1.2, 2, 0], [-3.6, 1.2, 0], [-1.5, 0.4, 0], [-1.5, -2, 0], color=BLUE, fill_opacity=0.5
        )
        image = flag.copy().flip(UP, about_point=ORIGIN).set_color(RED)

        self.play(Write(title))
        self.play(Create(mirror), FadeIn(mirror_name), DrawBorderThenFill(flag))
        links = VGroup()
        for corner, partner in zip(flag.get_vertices()[:3], image.get_vertices()[:3]):
            links.add(Line(corner, partner, stroke_width=2, color=GRAY))
        self.play(TransformFromCopy(flag, image), run_time=2)
        self.play(LaggedStart(*[GrowFromCenter(link) for link in links], lag_ratio=0.3))
        self.play(Indicate(image, color=RED), Indicate(flag, color=BLUE))
        self.wait()
