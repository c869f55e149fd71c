"""Solve the Tower of Hanoi puzzle with three disks and count the moves.

recursion recursive tower of Hanoi disks pegs puzzle moves count algorithm
"""

from manim import *


class TowerOfHanoi(Scene):
    def construct(self):
        title = Text("Tower of Hanoi", font_size=42).to_edge(UP)
        pegs = VGroup(*[Line(DOWN * 2.5, UP * 0.8, color=GRAY, stroke_width=8).shift(RIGHT * x) for x in (-4, 0, 4)])
        base = Line(LEFT * 6, RIGHT * 6, color=GRAY, stroke_width=8).shift(DOWN * 2.5)
        towers = [[], [], []]
        for width, color in [(2.8, RED), (2.0, GREEN), (1.2, BLUE)]:
            disk = RoundedRectangle(width=width, height=0.5, corner_radius=0.2, color=color, fill_opacity=1)
            towers[0].append(disk.move_to([-4, -2.2 + 0.55 * len(towers[0]), 0]))
        label = Text("moves:", font_size=36).to_corner(UR, buff=0.8).shift(LEFT)
        counter = Integer(0, color=YELLOW).next_to(label, RIGHT)

        moves = []

        def solve(n, start, goal, spare):
            if n > 0:
                solve(n - 1, start, spare, goal)
                moves.append((start, goal))
                solve(n - 1, spare, goal, start)

        solve(3, 0, 2, 1)
        self.play(Write(title), Create(base), Create(pegs), FadeIn(*towers[0]), FadeIn(label, counter))
        for count, (start, goal) in enumerate(moves, start=1):
            disk = towers[start].pop()
            self.play(disk.animate.set_y(1.4), run_time=0.4)
            self.play(disk.animate.set_x(pegs[goal].get_x()), counter.animate.set_value(count), run_time=0.5)
            self.play(disk.animate.set_y(-2.2 + 0.55 * len(towers[goal])), run_time=0.4)
            towers[goal].append(disk)
        self.wait()
