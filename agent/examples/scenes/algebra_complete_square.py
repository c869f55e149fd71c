"""Solve the equation x squared plus 6x equals 7 step by step by completing the square.

quadratic equation solve formula steps derivation transform matching tex algebra roots
"""

from manim import *


class CompleteTheSquare(Scene):
    def construct(self):
        title = Text("Completing the square", font_size=42).to_edge(UP)
        steps = [
            MathTex("x^2 + 6x", "=", "7"),
            MathTex("x^2 + 6x", "+ 9", "=", "7", "+ 9"),
            MathTex("(x + 3)^2", "=", "16"),
            MathTex("x + 3", "=", r"\pm 4"),
            MathTex("x = 1", r"\quad\text{or}\quad", "x = -7"),
        ]
        reasons = ["the equation", "add 9 to both sides", "write as a square", "take the root", "subtract 3"]

        equation = steps[0].scale(1.4)
        reason = Text(reasons[0], font_size=30, color=GRAY_B).to_edge(DOWN, buff=1.2)
        self.play(Write(title), Write(equation), FadeIn(reason))
        for step, words in zip(steps[1:], reasons[1:]):
            next_reason = Text(words, font_size=30, color=GRAY_B).move_to(reason)
            self.wait(0.5)
            self.play(
                TransformMatchingTex(equation, step.scale(1.4)),
                FadeOut(reason, shift=UP * 0.3),
                FadeIn(next_reason, shift=UP * 0.3),
            )
            equation, reason = step, next_reason
        self.play(Create(SurroundingRectangle(equation, color=YELLOW, buff=0.3)))
        self.wait()
