"""Show a triangle, a square and a pentagon with their names, then turn the pentagon into a hexagon.

shapes polygon regular sides basic circle label name transform morph colour
"""

from manim import *


class PolygonParade(Scene):
    def construct(self):
        title = Text("Regular polygons", font_size=44).to_edge(UP)
        shapes = VGroup(
            Triangle(color=YELLOW, fill_opacity=0.4),
            Square(side_length=1.8, color=BLUE, fill_opacity=0.4),
            RegularPolygon(n=5, color=GREEN, fill_opacity=0.4),
        ).arrange(RIGHT, buff=1.8)
        names = VGroup()
        for shape, name in zip(shapes, ["triangle", "square", "pentagon"]):
            names.add(Text(name, font_size=30).next_to(shape, DOWN, buff=0.4))
        names.align_to(names[0], UP)

        self.play(Write(title))
        self.play(LaggedStart(*[Create(shape) for shape in shapes], lag_ratio=0.4))
        self.play(FadeIn(names, shift=UP * 0.3))
        self.play(shapes[1].animate.rotate(PI / 2).set_fill(RED, opacity=0.6))

        hexagon = RegularPolygon(n=6, color=ORANGE, fill_opacity=0.4).move_to(shapes[2])
        hexagon_name = Text("hexagon", font_size=30).move_to(names[2])
        self.play(ReplacementTransform(shapes[2], hexagon), ReplacementTransform(names[2], hexagon_name))
        self.wait()
