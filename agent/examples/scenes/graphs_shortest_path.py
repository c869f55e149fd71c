"""Find the shortest route between two cities in a network with distances on the roads.

weighted graph shortest path Dijkstra route distance edges weights cities roads network optimal
"""

from manim import *


class ShortestRoute(Scene):
    def construct(self):
        places = {1: [-5, 0, 0], 2: [-1.5, 2, 0], 3: [-1.5, -2, 0], 4: [2, 2, 0], 5: [2, -2, 0], 6: [5, 0, 0]}
        weights = {(1, 2): 4, (1, 3): 2, (2, 3): 1, (2, 4): 5, (3, 5): 8, (4, 5): 3, (4, 6): 2, (5, 6): 4}
        network = Graph(list(places), list(weights), layout=places, vertex_config={"radius": 0.2, "color": BLUE})
        labels = VGroup()
        for edge, weight in weights.items():
            number = Text(str(weight), font_size=28).move_to(network.edges[edge].get_center())
            labels.add(number.add_background_rectangle(buff=0.1))
        title = Text("Which way from left to right is shortest?", font_size=36).to_edge(UP, buff=0.4)
        total = Integer(0, color=YELLOW, font_size=56).to_edge(DOWN, buff=0.5)
        total_words = Text("length:", font_size=34).next_to(total, LEFT, buff=0.3)

        self.play(Write(title), Create(network), run_time=2)
        self.play(FadeIn(labels, total_words, total))
        length = 0
        for start, end in [(1, 3), (3, 2), (2, 4), (4, 6)]:
            road = (min(start, end), max(start, end))
            length += weights[road]
            traveller = Dot(places[start], color=YELLOW, radius=0.15)
            self.play(
                traveller.animate.move_to(places[end]),
                network.edges[road].animate.set_stroke(YELLOW, width=10),
                total.animate.set_value(length),
            )
            self.remove(traveller)
        self.play(Circumscribe(total))
        self.wait()
