"""Multiply a matrix by a vector, highlighting one row at a time and computing each entry.

matrix multiplication product row column dot product entries highlight rectangle
"""

from manim import *


class RowTimesColumn(Scene):
    def construct(self):
        title = Text("Matrix times vector", font_size=42).to_edge(UP)
        rows, vector = [[2, 1], [0, 3], [4, 1]], [3, 2]
        matrix = IntegerMatrix(rows)
        column = IntegerMatrix([[entry] for entry in vector])
        result = IntegerMatrix([[sum(a * b for a, b in zip(row, vector))] for row in rows])
        product = VGroup(matrix, column, MathTex("="), result).arrange(RIGHT, buff=0.4)

        self.play(Write(title))
        self.play(FadeIn(product[:3]), FadeIn(result.get_brackets()))
        column_box = SurroundingRectangle(column.get_entries(), color=GREEN)
        row_box = SurroundingRectangle(matrix.get_rows()[0], color=YELLOW)
        self.play(Create(column_box), Create(row_box))
        work = VGroup()
        for index, row in enumerate(rows):
            if index > 0:
                self.play(row_box.animate.move_to(matrix.get_rows()[index]), FadeOut(work))
            terms = " + ".join(rf"{a} \cdot {b}" for a, b in zip(row, vector))
            work = MathTex(terms).to_edge(DOWN, buff=1)
            self.play(Write(work))
            self.play(TransformFromCopy(work, result.get_entries()[index]))
        self.play(FadeOut(work, row_box, column_box))
        self.wait()
