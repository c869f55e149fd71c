"""Sort a row of bars by height with selection sort, swapping the smallest remaining bar to the front.

sorting algorithm selection sort swap bars array compare minimum order list steps quicksort bubble merge insertion
"""

from manim import *


class SelectionSort(Scene):
    def construct(self):
        title = Text("Selection sort", font_size=42).to_edge(UP)
        heights = [3, 5, 1, 4, 2]
        bars = [Rectangle(width=0.9, height=0.8 * h, color=BLUE, fill_opacity=0.7) for h in heights]
        VGroup(*bars).arrange(RIGHT, buff=0.3, aligned_edge=DOWN).shift(DOWN * 0.5)
        pointer = Triangle(color=YELLOW, fill_opacity=1).scale(0.2).next_to(bars[0], DOWN)

        self.play(Write(title), LaggedStart(*[GrowFromEdge(bar, DOWN) for bar in bars], lag_ratio=0.2))
        self.play(FadeIn(pointer))
        for i in range(len(bars) - 1):
            self.play(pointer.animate.set_x(bars[i].get_x()), run_time=0.5)
            smallest = min(range(i, len(bars)), key=lambda j: bars[j].height)
            self.play(bars[smallest].animate.set_color(RED), run_time=0.5)
            if smallest != i:
                left, right = bars[i].get_x(), bars[smallest].get_x()
                self.play(bars[i].animate.set_x(right), bars[smallest].animate.set_x(left))
                bars[i], bars[smallest] = bars[smallest], bars[i]
            self.play(bars[i].animate.set_color(GREEN), run_time=0.5)
        self.play(bars[-1].animate.set_color(GREEN), FadeOut(pointer))
        self.wait()
