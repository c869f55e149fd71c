"""Show a swinging pendulum next to the graph of its angle over time.

pendulum oscillation harmonic motion swing period angle time graph physics mechanics updater
"""

from manim import *


class Pendulum(Scene):
    def construct(self):
        time = ValueTracker(0)
        pivot = LEFT * 4 + UP * 2.2

        def angle(t):
            return 0.6 * np.cos(2 * t)

        def bob_position():
            a = angle(time.get_value())
            return pivot + 3.5 * np.array([np.sin(a), -np.cos(a), 0])

        ceiling = Line(LEFT, RIGHT, color=GRAY, stroke_width=8).move_to(pivot)
        rod = always_redraw(lambda: Line(pivot, bob_position()))
        bob = always_redraw(lambda: Dot(bob_position(), radius=0.3, color=YELLOW))
        axes = Axes(x_range=[0, 8, 2], y_range=[-0.8, 0.8, 0.4], x_length=6.5, y_length=4, tips=False)
        axes.shift(RIGHT * 3)
        names = VGroup(
            Text("time", font_size=26).next_to(axes.c2p(8, 0), DOWN),
            Text("angle", font_size=26).next_to(axes.c2p(0, 0.8), UP),
        )
        graph = always_redraw(lambda: axes.plot(angle, x_range=[0, time.get_value() + 0.01], color=YELLOW))

        self.play(Create(ceiling), Create(axes), FadeIn(names))
        self.add(rod, bob, graph)
        self.play(time.animate.set_value(8), run_time=8, rate_func=linear)
        self.wait()
