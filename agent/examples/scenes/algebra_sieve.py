"""Find the prime numbers up to 30 with the sieve of Eratosthenes by crossing out multiples.

prime numbers sieve multiples divisibility factor number theory grid
"""

from manim import *


class Sieve(Scene):
    def construct(self):
        title = Text("Sieve of Eratosthenes", font_size=42).to_edge(UP)
        cells = {}
        for n in range(1, 31):
            box = Square(side_length=0.95, stroke_width=2)
            cells[n] = VGroup(box, Text(str(n), font_size=28).move_to(box))
        grid = VGroup(*cells.values()).arrange_in_grid(rows=3, cols=10, buff=0.15)
        rule = Text("1 is not prime", font_size=32).to_edge(DOWN, buff=1)

        self.play(Write(title), FadeIn(grid, lag_ratio=0.03))
        self.play(FadeIn(rule), cells[1].animate.set_opacity(0.2))
        for prime, color in [(2, RED), (3, GREEN), (5, BLUE)]:
            next_rule = Text(f"cross out the multiples of {prime}", font_size=32, color=color).move_to(rule)
            multiples = [cells[n] for n in range(2 * prime, 31, prime)]
            self.play(ReplacementTransform(rule, next_rule), cells[prime][0].animate.set_fill(color, opacity=0.6))
            self.play(LaggedStart(*[cell.animate.set_opacity(0.2) for cell in multiples], lag_ratio=0.15))
            rule = next_rule
        rest = [cells[n][0] for n in (7, 11, 13, 17, 19, 23, 29)]
        result = Text("what is left is prime", font_size=32, color=YELLOW).move_to(rule)
        self.play(ReplacementTransform(rule, result), *[box.animate.set_fill(YELLOW, opacity=0.5) for box in rest])
        self.wait()
