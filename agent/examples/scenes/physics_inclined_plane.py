"""Draw the forces on a block on a slope and split its weight into two components.

forces free body diagram inclined plane slope weight normal force friction components gravity slide Newton law
"""

from manim import *


class BlockOnSlope(Scene):
    def construct(self):
        title = Text("Forces on a slope", font_size=42).to_edge(UP)
        tilt = 25 * DEGREES
        slope = Polygon([-5, -2.8, 0], [5, -2.8, 0], [5, -2.8 + 10 * np.tan(tilt), 0], color=GRAY, fill_opacity=0.3)
        along = np.array([np.cos(tilt), np.sin(tilt), 0])
        across = np.array([-np.sin(tilt), np.cos(tilt), 0])
        block = Square(1, color=BLUE, fill_opacity=0.7).rotate(tilt)
        block.move_to(np.array([-5, -2.8, 0]) + 6 * along + 0.5 * across)
        middle = block.get_center()

        def force(direction, length, color, name, side):
            arrow = Arrow(middle, middle + length * direction, buff=0, color=color)
            return VGroup(arrow, Text(name, font_size=28, color=color).next_to(arrow.get_end(), side, buff=0.15))

        weight = force(DOWN, 1.9, RED, "weight", DOWN)
        normal = force(across, 1.9 * np.cos(tilt), GREEN, "normal force", LEFT)
        pressing = force(-across, 1.9 * np.cos(tilt), ORANGE, "pressing", RIGHT)
        pulling = force(-along, 1.9 * np.sin(tilt), YELLOW, "pulling", UL)

        self.play(Write(title), Create(slope), FadeIn(block))
        self.play(GrowArrow(weight[0]), FadeIn(weight[1]))
        self.play(GrowArrow(normal[0]), FadeIn(normal[1]))
        self.play(TransformFromCopy(weight[0], pressing[0]), TransformFromCopy(weight[0], pulling[0]))
        self.play(FadeIn(pressing[1], pulling[1]))
        self.play(VGroup(block, weight, normal, pressing, pulling).animate.shift(-0.8 * along), run_time=2)
        self.wait()
