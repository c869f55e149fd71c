"""Draw a probability tree for taking two balls from a bag and multiply along one path.

probability tree diagram conditional independent multiply branches outcomes balls without replacement
"""

from manim import *


class TwoDraws(Scene):
    def construct(self):
        title = Text("3 red and 2 blue balls, two draws", font_size=38).to_edge(UP)

        def ball(color, x, y):
            return Circle(radius=0.28, color=color, fill_opacity=0.8).move_to([x, y, 0])

        root = Dot([-4.5, -0.3, 0])
        first = VGroup(ball(RED, -1, 1.2), ball(BLUE, -1, -1.8))
        second = VGroup(ball(RED, 2.5, 2), ball(BLUE, 2.5, 0.2), ball(RED, 2.5, -1), ball(BLUE, 2.5, -2.8))

        def branch(start, end, tex):
            line = Line(start.get_center(), end.get_left(), buff=0.3)
            return VGroup(line, MathTex(tex, font_size=46).next_to(line.get_center(), UP, buff=0.2))

        stage_one = VGroup(branch(root, first[0], r"\tfrac35"), branch(root, first[1], r"\tfrac25"))
        ends = [(0, 0, r"\tfrac24"), (0, 1, r"\tfrac24"), (1, 2, r"\tfrac34"), (1, 3, r"\tfrac14")]
        stage_two = VGroup(*[branch(first[i], second[j], tex) for i, j, tex in ends])

        self.play(Write(title), FadeIn(root))
        self.play(Create(stage_one), FadeIn(first), run_time=1.5)
        self.play(Create(stage_two), FadeIn(second), run_time=2)
        path = VGroup(stage_one[0], stage_two[0])
        self.play(path.animate.set_color(YELLOW))
        product = MathTex(r"\tfrac35 \cdot \tfrac24 = \tfrac{3}{10}", color=YELLOW).next_to(second[0], RIGHT, buff=0.4)
        self.play(TransformFromCopy(VGroup(stage_one[0][1], stage_two[0][1]), product))
        self.wait()
