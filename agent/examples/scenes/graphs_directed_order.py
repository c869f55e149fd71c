"""Put tasks that depend on each other into a valid order by rearranging a directed graph.

directed graph DAG topological sort order dependencies arrows prerequisites tasks layout flowchart cycle
"""

from manim import *


class TaskOrder(Scene):
    def construct(self):
        title = Text("What has to be done first?", font_size=42).to_edge(UP)
        tangled = {"bake": [3, 1.5, 0], "mix": [-3, -1.5, 0], "shop": [3, -1.5, 0], "eat": [-3, 1.5, 0]}
        ordered = {"shop": [-4.5, -0.5, 0], "mix": [-1.5, -0.5, 0], "bake": [1.5, -0.5, 0], "eat": [4.5, -0.5, 0]}
        tasks = {}
        for name in tangled:
            circle = Circle(radius=0.65, color=BLUE).set_fill(BLUE_E, opacity=1)
            tasks[name] = VGroup(circle, Text(name, font_size=28))
        graph = DiGraph(
            list(tangled),
            [("shop", "mix"), ("mix", "bake"), ("bake", "eat")],
            layout=tangled,
            vertex_mobjects=tasks,
            edge_config={"stroke_color": YELLOW, "tip_config": {"tip_length": 0.25, "tip_width": 0.25}},
        )

        self.play(Write(title), FadeIn(graph))
        self.wait()
        self.play(graph.animate.change_layout(ordered), run_time=3)
        for name in ordered:
            self.play(graph[name][0].animate.set_fill(GREEN_E).set_stroke(GREEN), run_time=0.7)
        self.wait()
