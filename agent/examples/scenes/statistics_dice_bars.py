"""Roll a die many times and show in a bar chart how the frequencies even out to one sixth.

bar chart histogram frequency probability die dice distribution law of large numbers random data
"""

from manim import *


class DiceFrequencies(Scene):
    def construct(self):
        title = Text("Rolling a fair die", font_size=42).to_edge(UP)
        rng = np.random.default_rng(seed=4)
        faces = ["1", "2", "3", "4", "5", "6"]
        chart = BarChart(
            values=[0, 0, 0, 0, 0, 0],
            bar_names=faces,
            y_range=[0, 0.5, 0.1],
            x_length=9,
            y_length=4.5,
            bar_colors=[BLUE, GREEN, YELLOW],
            x_axis_config={"font_size": 40},
        ).shift(DOWN * 0.5)
        count = Text("0 rolls", font_size=34).next_to(title, DOWN)

        self.play(Write(title), Create(chart), FadeIn(count))
        for rolls in [10, 100, 1000]:
            results = rng.integers(1, 7, size=rolls)
            shares = [np.mean(results == face) for face in range(1, 7)]
            next_count = Text(f"{rolls} rolls", font_size=34).move_to(count)
            self.play(chart.animate.change_bar_values(shares), ReplacementTransform(count, next_count))
            count = next_count
            self.wait(0.5)
        sixth = DashedLine(chart.c2p(0, 1 / 6), chart.c2p(6, 1 / 6), color=RED)
        sixth_label = MathTex(r"\tfrac{1}{6}", color=RED).next_to(sixth, RIGHT)
        self.play(Create(sixth), Write(sixth_label))
        self.wait()
