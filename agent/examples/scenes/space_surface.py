"""Plot a saddle surface in three dimensions and let the camera turn slowly around it.

3D surface saddle function of two variables hyperbolic paraboloid plot rotate camera axes three dimensional
"""

from manim import *


class SaddleSurface(ThreeDScene):
    def construct(self):
        axes = ThreeDAxes(
            x_range=[-3, 3], y_range=[-3, 3], z_range=[-2, 2], x_length=6, y_length=6, z_length=4, num_axis_pieces=6
        )
        surface = Surface(
            lambda u, v: axes.c2p(u, v, 0.3 * (u**2 - v**2)),
            u_range=[-2.2, 2.2],
            v_range=[-2.2, 2.2],
            resolution=(10, 10),
            fill_opacity=0.8,
            stroke_width=0,
            checkerboard_colors=[BLUE_D, TEAL_C],
        )
        title = Text("A saddle surface", font_size=40).to_corner(UL)
        self.add_fixed_in_frame_mobjects(title)
        self.remove(title)

        self.set_camera_orientation(phi=65 * DEGREES, theta=-50 * DEGREES)
        self.play(Write(title), Create(axes))
        self.play(FadeIn(surface), run_time=2)
        self.begin_ambient_camera_rotation(rate=0.3)
        self.wait(3)
        self.stop_ambient_camera_rotation()
        self.wait()
