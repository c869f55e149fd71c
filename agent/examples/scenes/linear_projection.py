"""Turn a vector and show how its projection onto another direction, the dot product, changes sign.

dot product scalar product projection shadow angle perpendicular vector rotate
"""

from manim import *


class DotProductShadow(Scene):
    def construct(self):
        title = Text("The dot product as a shadow", font_size=40).to_edge(UP)
        center = DOWN * 1.8
        ground = Line(LEFT * 4, RIGHT * 4, color=GRAY).shift(center)
        unit = Arrow(center, center + RIGHT * 1.5, buff=0, color=BLUE)
        unit_label = MathTex("u", color=BLUE).next_to(unit, DOWN)
        angle = ValueTracker(30)

        def tip():
            return center + 3 * np.array([np.cos(angle.get_value() * DEGREES), np.sin(angle.get_value() * DEGREES), 0])

        def foot():
            return np.array([tip()[0], center[1], 0])

        vector = always_redraw(lambda: Arrow(center, tip(), buff=0, color=YELLOW))
        drop = always_redraw(lambda: DashedLine(tip(), foot() + UP * 0.01, color=GRAY))
        shadow = always_redraw(lambda: Line(center, foot(), color=RED, stroke_width=10))
        v_label = MathTex("v", color=YELLOW).add_updater(lambda mob: mob.next_to(tip(), UP, buff=0.1))
        label = MathTex(r"u \cdot v =").move_to(RIGHT * 4 + UP)
        value = DecimalNumber(0, include_sign=True, color=RED).next_to(label, RIGHT)
        value.add_updater(lambda mob: mob.set_value(3 * np.cos(angle.get_value() * DEGREES)))

        self.play(Write(title), Create(ground), GrowArrow(unit), Write(unit_label))
        self.play(FadeIn(shadow, drop, vector, v_label, label, value))
        self.play(angle.animate.set_value(150), run_time=4)
        self.play(angle.animate.set_value(90), run_time=2)
        self.wait()
