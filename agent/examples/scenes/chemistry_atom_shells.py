"""Show the Bohr model of a carbon atom with electrons circling in two shells.

atom Bohr model electron shell orbit nucleus carbon proton neutron energy level circle
"""

from manim import *


class CarbonAtom(Scene):
    def construct(self):
        title = Text("Carbon", font_size=44).to_edge(UP)
        nucleus = Circle(radius=0.5, color=RED, fill_opacity=0.9)
        charge = Text("6+", font_size=32).move_to(nucleus)
        atom = VGroup(nucleus, charge).shift(DOWN * 0.4)
        center = atom.get_center()
        shells = VGroup(*[Circle(radius=r, color=GRAY, stroke_width=2).move_to(center) for r in (1.3, 2.5)])
        electrons = VGroup()
        for shell, count in zip(shells, [2, 4]):
            ring = VGroup()
            for i in range(count):
                ring.add(Dot(shell.point_at_angle(i * TAU / count), radius=0.12, color=BLUE))
            electrons.add(ring)
        note = Text("4 outer electrons", font_size=32, color=YELLOW).to_corner(DR)

        self.play(Write(title), FadeIn(atom, scale=0.5))
        self.play(Create(shells), FadeIn(electrons))
        self.play(
            Rotate(electrons[0], TAU, about_point=center),
            Rotate(electrons[1], PI, about_point=center),
            run_time=4,
            rate_func=linear,
        )
        self.play(electrons[1].animate.set_color(YELLOW), Write(note))
        self.wait()
