"""Answers of scripted models, for tests of everything that runs a program."""


def answer(code: str) -> str:
    """A program as a model would answer with it."""
    return f"Here is the program:\n```python\n{code}```\n"


def scene(*lines: str, name: str = "Demo") -> str:
    """A scene whose construct method holds the lines."""
    body = "\n".join(f"        {line}" for line in lines)
    return f"from manim import *\n\n\nclass {name}(Scene):\n    def construct(self):\n{body}\n"


MOVING = scene("dot = Dot(color=YELLOW, radius=0.5)", "self.play(dot.animate.shift(RIGHT * 2), run_time=0.4)")
MOVING_TOO = scene("box = Square(color=BLUE)", "self.play(Create(box), run_time=0.4)")
STILL = scene("self.add(Circle(color=BLUE, fill_opacity=1))")
BLANK = scene("self.wait(0.4)")
CRASHES = scene("self.play(ShowCreation(Circle()))")
CRASHES_ELSEWHERE = scene("self.play(Create(Circle(radios=2)))")
ENDLESS = scene("while True:", "    pass")
