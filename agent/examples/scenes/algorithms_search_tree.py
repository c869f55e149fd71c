"""Insert a number into a binary search tree by comparing at each node and going left or right.

binary search tree BST insert node compare path data structure root child leaf
"""

from manim import *


class TreeInsert(Scene):
    def construct(self):
        title = Text("Insert 6 into a search tree", font_size=42).to_edge(UP)
        places = {8: (0, 2), 4: (-3, 0.5), 12: (3, 0.5), 2: (-4.5, -1), 5: (-1.5, -1), 10: (1.5, -1), 6: (-0.5, -2.5)}

        def node(value):
            circle = Circle(radius=0.4, color=BLUE).set_fill(BLACK, opacity=1)
            return VGroup(circle, Text(str(value), font_size=28)).move_to([*places[value], 0])

        nodes = {value: node(value) for value in places}
        links = {}
        for parent, child in [(8, 4), (8, 12), (4, 2), (4, 5), (12, 10), (5, 6)]:
            links[child] = Line(nodes[parent].get_center(), nodes[child].get_center(), buff=0.4, color=GRAY)

        tree = VGroup(*[links[v] for v in links if v != 6], *[nodes[v] for v in nodes if v != 6])
        self.play(Write(title), FadeIn(tree, lag_ratio=0.1), run_time=2)
        new = nodes[6].copy().next_to(nodes[8], RIGHT, buff=0.2)
        new[0].set_stroke(YELLOW)
        self.play(FadeIn(new))
        for stop, words in [(8, "6 < 8: left"), (4, "6 > 4: right"), (5, "6 > 5: right")]:
            comparison = Text(words, font_size=32, color=YELLOW).to_edge(DOWN)
            self.play(new.animate.next_to(nodes[stop], RIGHT, buff=0.2), FadeIn(comparison))
            self.play(Indicate(nodes[stop]))
            self.play(FadeOut(comparison), run_time=0.5)
        self.play(new.animate.move_to(nodes[6]), Create(links[6]))
        self.wait()
