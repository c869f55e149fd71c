"""Draw a helix in space and follow a point that climbs along it.

3D curve helix spiral parametric curve space vector path spring DNA coil point moving
"""

from manim import *


class ClimbingHelix(ThreeDScene):
    def construct(self):
        axes = ThreeDAxes(
            x_range=[-1.5, 1.5],
            y_range=[-1.5, 1.5],
            z_range=[0, 4],
            x_length=5,
            y_length=5,
            z_length=4.5,
            num_axis_pieces=4,
        )
        axes.shift(IN * 2)
        helix = ParametricFunction(
            lambda t: axes.c2p(np.cos(t), np.sin(t), t / 5), t_range=[0, 6 * PI, 0.3], color=YELLOW
        )
        shadow = Circle(radius=5 / 3, color=GRAY).move_to(axes.c2p(0, 0, 0))
        formula = MathTex(r"(\cos t,\; \sin t,\; t/5)").to_corner(UR)
        self.set_camera_orientation(phi=65 * DEGREES, theta=30 * DEGREES)
        self.add_fixed_in_frame_mobjects(formula)

        self.play(Create(axes), Create(shadow))
        self.play(Create(helix), run_time=3, rate_func=linear)
        point = Dot3D(helix.get_start(), radius=0.12, color=RED, resolution=(6, 6))
        self.add(point)
        self.begin_ambient_camera_rotation(rate=0.2)
        self.play(MoveAlongPath(point, helix), run_time=4, rate_func=linear)
        self.wait()
