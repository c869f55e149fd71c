"""Move a plane through a sphere and show how the circle where they meet grows and shrinks.

3D cross section slice sphere plane intersection circle cut solid geometry level
"""

from manim import *


class SphereCut(ThreeDScene):
    def construct(self):
        radius = 2
        height = ValueTracker(-1.9)
        sphere = Sphere(radius=radius, resolution=(12, 12), fill_opacity=0.25, stroke_width=0.3)

        def cut():
            z = height.get_value()
            return Circle(radius=np.sqrt(radius**2 - z**2), color=YELLOW, stroke_width=6).shift(OUT * z)

        circle = always_redraw(cut)
        plane = always_redraw(lambda: Square(5, color=BLUE, fill_opacity=0.3).shift(OUT * height.get_value()))
        caption = Text("The cut through a sphere is a circle", font_size=36).to_edge(UP)
        self.add_fixed_in_frame_mobjects(caption)

        self.set_camera_orientation(phi=70 * DEGREES, theta=-60 * DEGREES)
        self.play(FadeIn(sphere), run_time=1.5)
        self.play(FadeIn(plane, circle))
        self.play(height.animate.set_value(1.9), run_time=5)
        self.play(height.animate.set_value(0), run_time=2)
        self.wait()
