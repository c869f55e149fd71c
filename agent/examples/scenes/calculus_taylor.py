"""Show how Taylor polynomials of higher and higher degree come closer to the cosine curve.

Taylor series Maclaurin polynomial approximation cosine degree convergence function graph sine Fourier
"""

from math import factorial

from manim import *


class TaylorCosine(Scene):
    def construct(self):
        axes = Axes(x_range=[-7, 7, 1], y_range=[-2, 2, 1], x_length=12, y_length=4.5, tips=False)
        cosine = axes.plot(np.cos, x_range=[-7, 7], color=BLUE)
        cosine_label = MathTex(r"\cos x", color=BLUE).to_corner(UL)

        def taylor(x, degree):
            return sum((-1) ** (k // 2) * x**k / factorial(k) for k in range(0, degree + 1, 2))

        def polynomial(degree, reach):
            return axes.plot(lambda x: taylor(x, degree), x_range=[-reach, reach], color=YELLOW)

        curve = polynomial(0, 7)
        label = Text("degree 0", font_size=36, color=YELLOW).to_corner(UR)
        self.play(Create(axes), Create(cosine), Write(cosine_label), run_time=2)
        self.play(Create(curve), Write(label))
        # `reach` keeps every polynomial inside the axes.
        for degree, reach in [(2, 2.4), (4, 3.6), (6, 3.9), (8, 4.8)]:
            next_label = Text(f"degree {degree}", font_size=36, color=YELLOW).move_to(label)
            self.play(Transform(curve, polynomial(degree, reach)), Transform(label, next_label))
            self.wait(0.5)
        self.wait()
