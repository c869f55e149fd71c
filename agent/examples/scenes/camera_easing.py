"""Race four dots over the same distance with different easing so that the motions can be compared.

easing rate function motion speed acceleration linear smooth bounce movement timing race compare
"""

from manim import *


class EasingRace(Scene):
    def construct(self):
        title = Text("Four ways to get there", font_size=42).to_edge(UP)
        easings = {
            "linear": linear,
            "smooth": smooth,
            "rush in": rush_into,
            "there and back": there_and_back,
        }
        tracks, names, runners = VGroup(), VGroup(), VGroup()
        for row, (name, color) in enumerate(zip(easings, [RED, YELLOW, GREEN, BLUE])):
            y = 1.5 - 1.3 * row
            tracks.add(Line([-2.5, y, 0], [5.5, y, 0], color=GRAY, stroke_width=2))
            names.add(Text(name, font_size=30).next_to([-2.8, y, 0], LEFT))
            runners.add(Dot([-2.5, y, 0], radius=0.2, color=color))
        finish = DashedLine([5.5, 2.2, 0], [5.5, -3, 0])

        self.play(Write(title), FadeIn(names), Create(tracks), Create(finish))
        self.play(LaggedStart(*[GrowFromCenter(dot) for dot in runners], lag_ratio=0.2))
        self.play(
            *[
                dot.animate(rate_func=easing, run_time=4).shift(RIGHT * 8)
                for dot, easing in zip(runners, easings.values())
            ]
        )
        self.wait()
