"""Show how a stack works by pushing three values and popping the last one first.

stack push pop LIFO last in first out data structure memory top container queue linked list
"""

from manim import *


class StackDemo(Scene):
    def construct(self):
        title = Text("Stack: last in, first out", font_size=42).to_edge(UP)
        walls = VGroup(
            Line(LEFT * 1.3 + UP * 1.6, LEFT * 1.3 + DOWN * 2.6),
            Line(LEFT * 1.3 + DOWN * 2.6, RIGHT * 1.3 + DOWN * 2.6),
            Line(RIGHT * 1.3 + DOWN * 2.6, RIGHT * 1.3 + UP * 1.6),
        )
        self.play(Write(title), Create(walls))

        stack = []
        for operation, value in [("push", "A"), ("push", "B"), ("push", "C"), ("pop", "C"), ("pop", "B")]:
            command = Text(f"{operation}({value})", font_size=36, color=YELLOW).move_to(LEFT * 4.5)
            self.play(FadeIn(command), run_time=0.5)
            if operation == "push":
                box = Rectangle(width=2.2, height=0.9, color=BLUE, fill_opacity=0.6)
                item = VGroup(box, Text(value, font_size=34).move_to(box)).move_to(UP * 2)
                self.play(FadeIn(item), run_time=0.5)
                self.play(item.animate.move_to(DOWN * (2.05 - len(stack))))
                stack.append(item)
            else:
                item = stack.pop()
                self.play(item.animate.move_to(UP * 2))
                self.play(item.animate.move_to(RIGHT * 4.5 + UP * 2).set_opacity(0), run_time=0.7)
            self.play(FadeOut(command), run_time=0.3)
        self.wait()
