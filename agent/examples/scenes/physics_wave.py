"""Let a transverse wave travel to the right and mark its wavelength and amplitude.

wave wavelength amplitude travelling sine transverse frequency crest trough oscillate sound light
"""

from manim import *


class TravellingWave(Scene):
    def construct(self):
        title = Text("A travelling wave", font_size=42).to_edge(UP)
        axes = Axes(x_range=[0, 12, 1], y_range=[-2, 2, 1], x_length=12, y_length=4, tips=False)
        phase = ValueTracker(0)

        def height(x):
            return 1.2 * np.sin(PI / 2 * x - phase.get_value())

        wave = always_redraw(lambda: axes.plot(height, x_range=[0, 12], color=BLUE))
        particle = always_redraw(lambda: Dot(axes.c2p(3, height(3)), color=YELLOW))

        self.play(Write(title), Create(axes))
        self.play(Create(wave), FadeIn(particle))
        self.play(phase.animate.set_value(TAU), run_time=4, rate_func=linear)

        crests = Line(axes.c2p(1, 1.2), axes.c2p(5, 1.2))
        wavelength = Brace(crests, UP)
        wavelength_name = Text("wavelength", font_size=30).next_to(wavelength, UP)
        amplitude = DoubleArrow(axes.c2p(9, 0), axes.c2p(9, 1.2), buff=0, color=RED)
        amplitude_name = Text("amplitude", font_size=30, color=RED).next_to(axes.c2p(9, 1.2), UP)
        self.play(GrowFromCenter(wavelength), FadeIn(wavelength_name))
        self.play(GrowFromCenter(amplitude), FadeIn(amplitude_name))
        self.wait()
