"""Compare three planets in a table with row and column headings and highlight the largest value.

table rows columns headings compare data cells highlight values spreadsheet grid
"""

from manim import *


class PlanetTable(Scene):
    def construct(self):
        title = Text("Three planets", font_size=42).to_edge(UP)
        table = Table(
            [["0.4", "88"], ["1.0", "365"], ["5.2", "4333"]],
            row_labels=[Text("Mercury"), Text("Earth"), Text("Jupiter")],
            col_labels=[Text("distance (AU)"), Text("year (days)")],
            include_outer_lines=True,
            line_config={"stroke_width": 2, "color": GRAY},
        )
        table.scale(0.6).next_to(title, DOWN, buff=0.6)

        self.play(Write(title))
        self.play(Create(table.get_horizontal_lines()), Create(table.get_vertical_lines()))
        self.play(FadeIn(table.get_labels()))
        for row in table.get_rows()[1:]:
            self.play(LaggedStart(*[Write(entry) for entry in row[1:]], lag_ratio=0.3))

        self.play(table.get_columns()[2][1:].animate.set_color(BLUE))
        box = SurroundingRectangle(table.get_entries((4, 3)), color=YELLOW, buff=0.2)
        remark = Text("twelve times as long as ours", font_size=32, color=YELLOW).next_to(table, DOWN, buff=0.5)
        self.play(Create(box), FadeIn(remark, shift=UP * 0.3))
        self.wait()
