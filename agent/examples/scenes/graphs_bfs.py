"""Explore a network level by level from one vertex with breadth-first search and colour the levels.

graph traversal breadth first search BFS queue levels distance vertices edges network nodes
"""

from manim import *


class BreadthFirst(Scene):
    def construct(self):
        title = Text("Breadth-first search", font_size=42).to_edge(UP)
        places = {
            "A": [-5, 0, 0], "B": [-2, 1.5, 0], "C": [-2, -1.5, 0], "D": [1, 2, 0],
            "E": [1, 0, 0], "F": [1, -2.2, 0], "G": [4.5, 0.5, 0],
        }  # fmt: skip
        edges = [("A", "B"), ("A", "C"), ("B", "D"), ("B", "E"), ("C", "E"), ("C", "F"), ("D", "G"), ("E", "G")]
        names = {name: Text(name, font_size=26, color=BLACK) for name in places}
        graph = Graph(
            list(places),
            edges,
            layout=places,
            labels=names,
            vertex_config={"radius": 0.35, "fill_color": WHITE},
            edge_config={"stroke_color": GRAY},
        )
        levels = [["A"], ["B", "C"], ["D", "E", "F"], ["G"]]
        caption = Text("start", font_size=34).to_edge(DOWN)

        self.play(Write(title), Create(graph), run_time=2)
        self.play(FadeIn(caption))
        for distance, level in enumerate(levels):
            color = [RED, ORANGE, YELLOW, GREEN][distance]
            next_caption = Text(f"distance {distance}: {', '.join(level)}", font_size=34, color=color).move_to(caption)
            self.play(
                *[graph.vertices[name].animate.set_fill(color, family=False) for name in level],
                ReplacementTransform(caption, next_caption),
            )
            caption = next_caption
            self.wait(0.5)
        self.wait()
