"""Balance the equation for burning methane by counting the atoms on both sides.

chemical equation balance reaction combustion methane oxygen carbon dioxide coefficients atoms count
"""

from manim import *


class BalanceMethane(Scene):
    def construct(self):
        title = Text("Burning methane", font_size=42).to_edge(UP)
        tex = [r"\mathrm{CH_4}", "+", "", r"\mathrm{O_2}", r"\rightarrow", r"\mathrm{CO_2}", "+", "", r"\mathrm{H_2O}"]
        balanced_tex = [*tex]
        balanced_tex[2], balanced_tex[7] = "2", "2"
        equation = MathTex(*[part for part in tex if part], font_size=60).shift(UP * 1.5)
        balanced = MathTex(*balanced_tex, font_size=60).move_to(equation)

        def tally(left, right):
            rows = [["", "before", "after"], ["C", "1", "1"], ["H", "4", right[0]], ["O", left, right[1]]]
            table = VGroup(*[Text(entry or " ", font_size=32) for row in rows for entry in row])
            table.arrange_in_grid(rows=4, cols=3, buff=(1, 0.35))
            for row in range(1, 4):
                before, after = rows[row][1], rows[row][2]
                table[3 * row : 3 * row + 3].set_color(GREEN if before == after else RED)
            return table.shift(DOWN * 1.3)

        counts = tally("2", ["2", "3"])
        self.play(Write(title), Write(equation))
        self.play(FadeIn(counts))
        self.wait()
        self.play(TransformMatchingTex(equation, balanced))
        self.play(balanced.animate.set_color_by_tex("2", YELLOW), Transform(counts, tally("4", ["4", "4"])))
        self.wait()
