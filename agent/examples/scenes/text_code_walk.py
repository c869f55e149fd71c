"""Walk through a short Python function line by line and show how its variable changes.

code listing source program Python function loop variable trace line highlight debug syntax
"""

from manim import *


class CodeWalk(Scene):
    def construct(self):
        title = Text("What does this loop do?", font_size=40).to_edge(UP)
        listing = Code(
            code_string="total = 0\nfor n in [3, 5, 2]:\n    total = total + n\nprint(total)",
            language="python",
            background="window",
            add_line_numbers=True,
        )
        listing.scale_to_fit_width(6.5).to_edge(LEFT, buff=0.7)
        lines = listing.code_lines
        marker = SurroundingRectangle(lines[0], color=YELLOW, buff=0.08)
        label = Text("total =", font_size=40).move_to(RIGHT * 3.4)
        value = Integer(0, color=YELLOW, font_size=60).next_to(label, RIGHT)

        self.play(Write(title), FadeIn(listing))
        self.play(Create(marker), FadeIn(label, value))
        total = 0
        for n in [3, 5, 2]:
            total += n
            self.play(marker.animate.become(SurroundingRectangle(lines[1], color=YELLOW, buff=0.08)))
            self.play(marker.animate.become(SurroundingRectangle(lines[2], color=YELLOW, buff=0.08)))
            self.play(value.animate.set_value(total), Flash(value, flash_radius=0.7))
        self.play(marker.animate.become(SurroundingRectangle(lines[3], color=YELLOW, buff=0.08)))
        self.play(Indicate(value))
        self.wait()
