"""List four steps one below the other, let them appear one at a time and highlight the current one.

bullet points list steps agenda outline summary text slide title numbered highlight explain definition
"""

from manim import *


class StepList(Scene):
    def construct(self):
        title = Text("How to solve a problem", font_size=44, color=BLUE).to_edge(UP)
        underline = Underline(title, color=BLUE)
        steps = VGroup()
        for number, words in enumerate(["Understand it", "Make a plan", "Carry it out", "Look back"], start=1):
            badge = Circle(radius=0.32, color=YELLOW)
            digit = Text(str(number), font_size=28).move_to(badge)
            sentence = Text(words, font_size=36).next_to(badge, RIGHT, buff=0.4)
            steps.add(VGroup(badge, digit, sentence))
        steps.arrange(DOWN, buff=0.55, aligned_edge=LEFT).next_to(underline, DOWN, buff=0.8)

        self.play(Write(title), Create(underline))
        for index, step in enumerate(steps):
            done = [old[2].animate.set_color(GRAY) for old in steps[:index]]
            self.play(FadeIn(step, shift=RIGHT), *done)
            self.wait(0.5)
        self.play(*[step[2].animate.set_color(WHITE) for step in steps])
        self.play(Circumscribe(steps, buff=0.3))
        self.wait()
