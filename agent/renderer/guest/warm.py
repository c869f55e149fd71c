"""Run once outside the sandbox at the start of a server: a small render, so that all it imports is compiled."""

import tempfile
from pathlib import Path

import manim

from . import fonts, sample, scenes, settings, still, tex

# Imported so that they are compiled too.
__all__ = ["sample", "scenes"]


class Warm(manim.Scene):
    """One text, one formula, one short animation."""

    def construct(self) -> None:
        self.add(manim.MathTex("x^2"))
        self.play(manim.Write(manim.Text("warm")), run_time=0.1)


def main() -> None:
    """Render `Warm` at a tiny size into a folder that is removed."""
    tex.install()
    fonts.install()
    with tempfile.TemporaryDirectory() as folder:
        job = {"width": 160, "height": 90, "fps": 10, "seed": 0}
        manim.config.update(settings.chosen(job, Path(folder)))
        scene = Warm()
        scene.render()
        still.keep(scene, Path(folder) / "still.png", Path(folder) / "still.mp4")


if __name__ == "__main__":
    main()
