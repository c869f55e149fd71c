"""Introduce a definition with coloured key words, then replace it by an example sentence.

definition text sentence key words colour highlight quote paragraph language replace fade page words
"""

from manim import *


class KeyWords(Scene):
    def construct(self):
        heading = Text("Photosynthesis", font_size=54, color=GREEN)
        self.play(Write(heading))
        self.play(heading.animate.scale(0.75).to_edge(UP))

        definition = Paragraph(
            "Plants turn light, water",
            "and carbon dioxide",
            "into sugar and oxygen.",
            alignment="center",
            font_size=40,
            line_spacing=1,
            t2c={"light": YELLOW, "water": BLUE, "carbon dioxide": RED, "sugar": ORANGE, "oxygen": TEAL},
        )
        self.play(AddTextLetterByLetter(definition[0]), run_time=1.5)
        self.play(AddTextLetterByLetter(definition[1]), run_time=1.2)
        self.play(AddTextLetterByLetter(definition[2]), run_time=1.5)
        self.wait()

        # The old page leaves before the new one comes, so that they never lie on each other.
        self.play(FadeOut(definition, shift=LEFT * 2))
        inputs = Text("light + water + carbon dioxide", font_size=36)
        arrow = Arrow(UP * 0.5, DOWN * 0.8, color=GREEN)
        outputs = Text("sugar + oxygen", font_size=36)
        VGroup(inputs, arrow, outputs).arrange(DOWN, buff=0.4)
        self.play(FadeIn(inputs, shift=DOWN))
        self.play(GrowArrow(arrow), FadeIn(outputs, shift=DOWN))
        self.wait()
