"""Draw a normal distribution and shade the part within one and then two standard deviations.

normal distribution bell curve Gaussian standard deviation mean sigma probability percent area shade
"""

from manim import *


class BellCurve(Scene):
    def construct(self):
        axes = Axes(x_range=[-4, 4, 1], y_range=[0, 0.45, 0.1], x_length=11, y_length=4.5, tips=False)
        axes.to_edge(DOWN, buff=1)
        bell = axes.plot(lambda x: np.exp(-(x**2) / 2) / np.sqrt(2 * np.pi), x_range=[-4, 4], color=YELLOW)
        marks = VGroup()
        for k, tex in [(-2, r"\mu-2\sigma"), (-1, r"\mu-\sigma"), (0, r"\mu"), (1, r"\mu+\sigma"), (2, r"\mu+2\sigma")]:
            marks.add(MathTex(tex, font_size=30).next_to(axes.c2p(k, 0), DOWN))
        one = axes.get_area(bell, x_range=(-1, 1), color=BLUE, opacity=0.6)
        two = axes.get_area(bell, x_range=(-2, 2), color=GREEN, opacity=0.4)
        share = Text("68 % within one standard deviation", font_size=36, t2c={"68 %": BLUE}).to_edge(UP)
        more = Text("95 % within two standard deviations", font_size=36, t2c={"95 %": GREEN}).to_edge(UP)

        self.play(Create(axes), FadeIn(marks))
        self.play(Create(bell), run_time=2)
        self.play(FadeIn(one), Write(share))
        self.wait()
        self.play(FadeIn(two), FadeOut(share, shift=UP), FadeIn(more, shift=UP))
        self.wait()
