"""Build a water molecule from one oxygen and two hydrogen atoms and show its bond angle.

molecule water H2O atoms bond covalent bond angle oxygen hydrogen structure model methane
"""

from manim import *


class WaterMolecule(Scene):
    def construct(self):
        title = Text("Water", font_size=44).to_edge(UP)

        def atom(symbol, radius, color):
            ball = Circle(radius=radius, color=color, fill_opacity=1)
            return VGroup(ball, Text(symbol, font_size=40, color=BLACK).move_to(ball))

        oxygen = atom("O", 0.8, RED).move_to(UP * 0.8)
        left = atom("H", 0.5, WHITE).move_to(LEFT * 5 + DOWN * 2)
        right = atom("H", 0.5, WHITE).move_to(RIGHT * 5 + DOWN * 2)
        half = 104.5 / 2 * DEGREES
        left_place = oxygen.get_center() + 2.2 * np.array([-np.sin(half), -np.cos(half), 0])
        right_place = oxygen.get_center() + 2.2 * np.array([np.sin(half), -np.cos(half), 0])

        self.play(Write(title), LaggedStart(*[GrowFromCenter(a) for a in (oxygen, left, right)], lag_ratio=0.4))
        self.play(left.animate.move_to(left_place), right.animate.move_to(right_place), run_time=2)
        bonds = VGroup(Line(oxygen.get_center(), left_place), Line(oxygen.get_center(), right_place))
        bonds.set_stroke(GRAY, width=12).set_z_index(-1)
        self.play(Create(bonds))
        angle = Angle(bonds[0], bonds[1], radius=1.2, color=YELLOW)
        angle_text = Text("104.5°", font_size=32, color=YELLOW).next_to(angle, DOWN)
        self.play(Create(angle), FadeIn(angle_text))
        formula = MathTex(r"\mathrm{H_2O}", font_size=64).to_edge(DOWN)
        self.play(Write(formula))
        self.wait()
