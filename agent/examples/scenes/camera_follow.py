"""Let the camera follow a car along a long road past four labelled stations.

camera follow pan track travel timeline history journey road moving frame scroll stations events
"""

from manim import *


class FollowTheCar(MovingCameraScene):
    def construct(self):
        road = Line(LEFT * 5, RIGHT * 19, color=GRAY, stroke_width=8)
        stations = VGroup()
        for x, name in [(-3, "start"), (4, "river"), (11, "forest"), (18, "home")]:
            post = Line(DOWN * 0.3, UP * 0.3, color=YELLOW).move_to([x, 0, 0])
            stations.add(VGroup(post, Text(name, font_size=40).next_to(post, UP, buff=0.6)))
        body = RoundedRectangle(width=1.4, height=0.5, corner_radius=0.15, color=RED, fill_opacity=1)
        wheels = VGroup(*[Dot(radius=0.16, color=WHITE).move_to([x, -0.3, 0]) for x in (-0.4, 0.4)])
        car = VGroup(body, wheels).move_to([-3, -0.5, 0])
        frame = self.camera.frame.set_x(-1)

        self.play(Create(road), FadeIn(stations, car))
        frame.add_updater(lambda mob: mob.set_x(car.get_x() + 2))
        self.add(frame)
        for x in (4, 11, 18):
            self.play(car.animate.set_x(x), run_time=2.5)
            self.wait(0.3)
        frame.clear_updaters()
        self.play(frame.animate.set(width=28).move_to([7, 0, 0]), run_time=2)
        self.wait()
