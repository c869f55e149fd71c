"""Throw a ball along a parabola and draw its horizontal and vertical velocity on the way.

projectile motion trajectory throw ball gravity velocity vector components parabola kinematics bounce fall
"""

from manim import *


class ThrownBall(Scene):
    def construct(self):
        start, speed, gravity = np.array([-5.5, -2.5, 0]), np.array([2.75, 4.2, 0]), np.array([0, -2.1, 0])
        time = ValueTracker(0)

        def position():
            t = time.get_value()
            return start + speed * t + gravity * t**2 / 2

        def velocity():
            return 0.3 * (speed + gravity * time.get_value())

        ground = Line(LEFT * 6.5, RIGHT * 6.5, color=GREEN).shift(DOWN * 2.65)
        ball = always_redraw(lambda: Dot(position(), radius=0.15, color=WHITE))
        across = always_redraw(lambda: Line(position(), position() + velocity() * RIGHT, color=BLUE, stroke_width=8))
        upward = always_redraw(lambda: Line(position(), position() + velocity() * UP, color=RED, stroke_width=8))
        arrow = always_redraw(lambda: Arrow(position(), position() + velocity(), buff=0, color=YELLOW))
        trail = TracedPath(ball.get_center, stroke_color=GRAY, stroke_width=3)
        blue_words = Text("horizontal velocity: constant", font_size=32, color=BLUE).to_edge(UP)
        red_words = Text("vertical velocity: falls all the time", font_size=32, color=RED).next_to(blue_words, DOWN)

        self.play(Create(ground), FadeIn(ball))
        self.add(trail)
        self.play(FadeIn(across, upward, arrow), Write(blue_words), Write(red_words))
        self.play(time.animate.set_value(4), run_time=6, rate_func=linear)
        self.wait()
