"""Roll a wheel along the ground and trace the path of a point on its rim.

cycloid rolling wheel traced path trail rim motion rotate roll curve parametric circle
"""

from manim import *


class RollingWheel(Scene):
    def construct(self):
        title = Text("The path of a point on a rolling wheel", font_size=36).to_edge(UP)
        radius, start = 0.9, LEFT * 5.6 + DOWN * 0.6
        ground = Line(LEFT * 7, RIGHT * 7, color=GRAY).shift(DOWN * 1.5)
        turned = ValueTracker(0)

        def center():
            return start + RIGHT * radius * turned.get_value()

        def rim():
            angle = -turned.get_value() - PI / 2
            return center() + radius * np.array([np.cos(angle), np.sin(angle), 0])

        wheel = always_redraw(lambda: Circle(radius=radius, color=BLUE).move_to(center()))
        spoke = always_redraw(lambda: Line(center(), rim(), color=BLUE))
        point = always_redraw(lambda: Dot(rim(), color=YELLOW))
        path = TracedPath(point.get_center, stroke_color=YELLOW, stroke_width=4)

        self.play(Write(title), Create(ground))
        self.play(FadeIn(wheel, spoke, point))
        self.add(path)
        self.play(turned.animate.set_value(4 * PI), run_time=6, rate_func=linear)
        self.wait()
