"""Apply a shear matrix to the plane and watch the basis vectors and the unit square move with the grid.

linear transformation matrix grid plane basis vectors determinant area shear eigenvector eigenvalue
"""

from manim import *


class ShearTheGrid(Scene):
    def construct(self):
        matrix = [[1, 1], [0, 1]]
        still = NumberPlane(background_line_style={"stroke_color": GRAY, "stroke_opacity": 0.3})
        plane = NumberPlane(background_line_style={"stroke_color": BLUE, "stroke_opacity": 0.6})
        square = Polygon(ORIGIN, RIGHT, RIGHT + UP, UP, color=YELLOW, fill_opacity=0.4)
        i_hat = Arrow(ORIGIN, RIGHT, buff=0, color=GREEN)
        j_hat = Arrow(ORIGIN, UP, buff=0, color=RED)
        label = Matrix(matrix).scale(0.8).add_background_rectangle().to_corner(UL)

        self.add(still)
        self.play(Create(plane), run_time=1.5)
        self.play(FadeIn(square), GrowArrow(i_hat), GrowArrow(j_hat))
        self.play(FadeIn(label))
        self.play(
            ApplyMatrix(matrix, VGroup(plane, square)),
            j_hat.animate.put_start_and_end_on(ORIGIN, RIGHT + UP),
            run_time=3,
        )
        note = Text("the area stays 1", font_size=34, color=YELLOW).add_background_rectangle().to_edge(DOWN)
        self.play(FadeIn(note, shift=UP))
        self.wait()
