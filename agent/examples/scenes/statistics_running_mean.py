"""Toss a coin two hundred times and plot how the share of heads settles near one half.

law of large numbers coin toss flip random walk running average convergence line graph simulation
"""

from manim import *


class ShareOfHeads(Scene):
    def construct(self):
        title = Text("Share of heads after n tosses", font_size=40).to_edge(UP)
        axes = Axes(
            x_range=[0, 200, 50],
            y_range=[0, 1, 0.5],
            x_length=10,
            y_length=4.5,
            tips=False,
            axis_config={"include_numbers": True},
        ).shift(DOWN * 0.5)
        tosses = np.random.default_rng(seed=2).integers(0, 2, size=200)
        n = np.arange(1, 201)
        shares = np.cumsum(tosses) / n

        half = DashedLine(axes.c2p(0, 0.5), axes.c2p(200, 0.5), color=GRAY)
        path = axes.plot_line_graph(n, shares, add_vertex_dots=False, line_color=BLUE)["line_graph"]
        head = Dot(color=YELLOW).add_updater(lambda mob: mob.move_to(path.get_end()))

        self.play(Write(title), Create(axes), Create(half))
        self.add(head)
        self.play(Create(path), run_time=6, rate_func=linear)
        self.play(Flash(head))
        self.wait()
