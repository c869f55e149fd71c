"""Zoom in on a point of a curve to show that it looks straight up close, then zoom out again.

camera zoom in magnify detail close up moving camera frame local linearity restore fractal
"""

from manim import *


class ZoomOnCurve(MovingCameraScene):
    def construct(self):
        axes = Axes(x_range=[-4, 4, 1], y_range=[-1, 3, 1], x_length=11, y_length=5.5, tips=False)
        curve = axes.plot(lambda x: 1 + np.sin(x), x_range=[-4, 4], color=BLUE)
        spot = Dot(axes.c2p(1, 1 + np.sin(1)), color=YELLOW, radius=0.06)
        question = Text("How does a curve look from close by?", font_size=36).to_edge(UP, buff=0.3)
        question.add_background_rectangle()

        self.play(Create(axes), Create(curve), Write(question))
        self.play(FadeIn(spot, scale=3))
        frame = self.camera.frame
        for mob in (frame, curve, spot):
            mob.save_state()
        # Lines and dots would grow thick in the close-up, so they get thinner while the frame shrinks.
        self.play(
            frame.animate.scale(0.05).move_to(spot),
            curve.animate.set_stroke(width=0.3),
            spot.animate.scale(0.1),
            run_time=3,
        )
        answer = Text("almost straight", color=YELLOW).scale(0.05).next_to(spot, DR, buff=0.02)
        self.play(FadeIn(answer))
        self.wait()
        self.play(FadeOut(answer))
        self.play(Restore(frame), Restore(curve), Restore(spot), run_time=2)
        self.wait()
