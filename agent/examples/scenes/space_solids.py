"""Show a cube, a cone and a cylinder in 3D side by side, then turn the camera to look from above.

3D solids cube cone cylinder sphere prism volume geometry three dimensional perspective camera view
"""

from manim import *


class ThreeSolids(ThreeDScene):
    def construct(self):
        self.set_camera_orientation(phi=70 * DEGREES, theta=-90 * DEGREES)
        cube = Cube(side_length=1.8, fill_color=BLUE, fill_opacity=0.8, stroke_width=1).shift(LEFT * 4)
        cone = Cone(base_radius=1.1, height=2, direction=OUT, resolution=(2, 16), show_base=True)
        cone.set_fill(GREEN, opacity=0.8).shift(OUT)
        cylinder = Cylinder(radius=1, height=2, resolution=(2, 16), fill_opacity=0.8).shift(RIGHT * 4)
        cylinder.set_fill(RED).set_stroke(width=0.5)
        caption = Text("from the front", font_size=36).to_edge(UP)
        above = Text("from above", font_size=36).to_edge(UP)
        self.add_fixed_in_frame_mobjects(caption)

        for solid in (cube, cone, cylinder):
            self.play(FadeIn(solid, shift=IN), run_time=0.8)
        self.play(Rotate(cube, PI / 4, axis=OUT))
        self.remove(caption)
        self.add_fixed_in_frame_mobjects(above)
        self.move_camera(phi=20 * DEGREES, theta=-90 * DEGREES, run_time=2)
        self.wait()
