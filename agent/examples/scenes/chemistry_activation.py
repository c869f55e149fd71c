"""Compare the energy curve of a reaction with and without a catalyst.

activation energy reaction catalyst profile enthalpy exothermic barrier energy diagram
"""

from manim import *


class ActivationEnergy(Scene):
    def construct(self):
        axes = Axes(x_range=[0, 10, 1], y_range=[0, 6, 1], x_length=9, y_length=5, axis_config={"include_ticks": False})
        axes.to_edge(DOWN, buff=0.8)
        x_name = Text("progress of the reaction", font_size=28).next_to(axes.x_axis, DOWN)
        y_name = Text("energy", font_size=28).next_to(axes.y_axis.get_top(), RIGHT)

        def profile(barrier):
            return lambda x: 3 - 2 / (1 + np.exp(-2 * (x - 5))) + barrier * np.exp(-((x - 4.5) ** 2) / 2)

        plain = axes.plot(profile(2.8), x_range=[0.3, 9.5], color=RED)
        eased = axes.plot(profile(1.2), x_range=[0.3, 9.5], color=GREEN)
        plain_name = Text("without catalyst", font_size=28, color=RED).next_to(axes.c2p(5.5, 4.6), RIGHT)
        eased_name = Text("with catalyst", font_size=28, color=GREEN).next_to(axes.c2p(6.5, 2.4), RIGHT)
        particle = Dot(color=YELLOW).move_to(plain.get_start())

        self.play(Create(axes), FadeIn(x_name, y_name))
        self.play(Create(plain), FadeIn(plain_name))
        self.play(FadeIn(particle))
        self.play(MoveAlongPath(particle, plain), run_time=3)
        self.play(TransformFromCopy(plain, eased), FadeIn(eased_name))
        self.play(particle.animate.move_to(eased.get_start()))
        self.play(MoveAlongPath(particle, eased), run_time=1.5)
        self.wait()
