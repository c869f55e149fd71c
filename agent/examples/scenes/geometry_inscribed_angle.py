"""Move a point along a circle and show that the inscribed angle over a fixed chord never changes.

circle theorem inscribed angle chord Thales moving point value measure degrees dot arc radius unit theorem
"""

from manim import *


class InscribedAngle(Scene):
    def construct(self):
        title = Text("Same chord, same inscribed angle", font_size=40).to_edge(UP)
        circle = Circle(radius=2.4, color=BLUE).shift(DOWN * 0.4 + LEFT * 2)
        start, end = circle.point_at_angle(210 * DEGREES), circle.point_at_angle(330 * DEGREES)
        chord = Line(start, end, color=YELLOW)
        where = ValueTracker(50)

        corner = always_redraw(lambda: Dot(circle.point_at_angle(where.get_value() * DEGREES), color=RED))
        sides = always_redraw(
            lambda: VGroup(Line(corner.get_center(), start), Line(corner.get_center(), end)).set_color(WHITE)
        )
        angle = always_redraw(lambda: Angle(sides[0], sides[1], radius=0.6, color=RED))
        label = Text("inscribed angle:", font_size=32).move_to(RIGHT * 3.2)
        number = DecimalNumber(60, num_decimal_places=1, unit=r"^\circ", color=RED).next_to(label, DOWN)
        number.add_updater(
            lambda mob: mob.set_value(np.degrees(angle_between_vectors(*[s.get_vector() for s in sides])))
        )

        self.play(Write(title), Create(circle), Create(chord))
        self.add(sides, angle, corner)
        self.play(FadeIn(label, number))
        self.play(where.animate.set_value(160), run_time=3)
        self.play(where.animate.set_value(90), run_time=2)
        self.wait()
