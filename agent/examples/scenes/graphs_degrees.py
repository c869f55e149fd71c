"""Count the edges at every vertex of a graph and show that the degrees add up to twice the edges.

degree vertex handshake lemma edges count circular layout complete graph theory
"""

from manim import *


class Handshakes(Scene):
    def construct(self):
        edges = [(0, 1), (1, 2), (2, 3), (3, 4), (4, 0), (0, 2), (1, 3)]
        graph = Graph(list(range(5)), edges, layout="circular", layout_scale=2.3, vertex_config={"radius": 0.14})
        graph.move_to(LEFT * 3 + DOWN * 0.3)
        title = Text("The handshake lemma", font_size=42).to_edge(UP)
        self.play(Write(title), Create(graph), run_time=2)

        degrees = VGroup()
        for vertex in range(5):
            touching = [graph.edges[edge] for edge in edges if vertex in edge]
            outward = normalize(graph[vertex].get_center() - graph.get_center())
            degree = Text(str(len(touching)), font_size=34, color=YELLOW).next_to(graph[vertex], outward, buff=0.2)
            degrees.add(degree)
            self.play(*[ShowPassingFlash(edge.copy().set_stroke(YELLOW, 8)) for edge in touching], FadeIn(degree))

        total = MathTex("2 + 3 + 3 + 3 + 3", "=", "14").move_to(RIGHT * 3 + UP * 0.5)
        reason = MathTex("14 = 2", r"\cdot", "7").next_to(total, DOWN, buff=0.6)
        words = Text("7 edges, each counted twice", font_size=30).next_to(reason, DOWN, buff=0.6)
        self.play(TransformFromCopy(degrees, total[0]), Write(total[1:]))
        self.play(Write(reason), FadeIn(words))
        self.wait()
