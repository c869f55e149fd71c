"""Scenes that are right: what comes out of the sandbox, and which scene of a file it is."""

from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import av
import numpy as np
from PIL import Image
from studio import Rendered, Studio

from agent.types import Quality

Construct = Callable[[str], str]


def pixels(path: Path) -> np.ndarray:
    with Image.open(path) as picture:
        return np.asarray(picture.convert("RGB"), dtype=np.int16)


def frame(rendered: Rendered, index: int) -> np.ndarray:
    return pixels(rendered.folder / rendered.render.frames[index].path)


def test_a_moving_scene_gives_a_video_whose_frames_differ(studio: Studio, construct: Construct) -> None:
    made = studio(construct("c = Circle()\nself.play(Create(c))\nself.wait(1)\nself.play(c.animate.shift(RIGHT))"))
    assert made.render.ok, made.render.message
    assert (made.render.scene, made.render.animations, made.render.still) == ("Demo", 2, None)
    assert made.render.duration_s == 3.0
    assert [picture.t for picture in made.render.frames] == sorted(picture.t for picture in made.render.frames)
    assert made.render.frames[0].t == 0 and made.render.frames[-1].t > 2.9
    assert np.abs(frame(made, 0) - frame(made, 1)).max() > 100
    assert np.abs(frame(made, 1) - frame(made, 2)).max() > 100
    with av.open(str(made.folder / made.render.video)) as video:
        stream = video.streams.video[0]
        assert (stream.width, stream.height, stream.average_rate) == (854, 480, Fraction(15))
        assert sum(1 for _ in video.decode(stream)) == 45


def test_a_scene_that_plays_nothing_is_held_for_three_seconds_and_kept_as_a_picture(
    studio: Studio, construct: Construct
) -> None:
    made = studio(construct("self.add(Square(color=RED, fill_opacity=1))"))
    assert made.render.ok, made.render.message
    assert (made.render.animations, made.render.duration_s, made.render.still) == (0, 3.0, "still.png")
    picture = pixels(made.folder / "still.png")
    assert picture.shape == (480, 854, 3)
    assert np.abs(picture - frame(made, 0)).mean() < 3
    assert np.abs(picture[240, 427] - [252, 98, 85]).max() < 3


def test_a_scene_that_only_waits_has_no_animations(studio: Studio, construct: Construct) -> None:
    made = studio(construct("self.add(Dot())\nself.wait(0.4)"))
    assert made.render.ok and made.render.animations == 0 and made.render.duration_s == 0.4


def test_the_last_scene_is_rendered_and_the_others_are_named(studio: Studio) -> None:
    made = studio(
        """
        from manim import *
        class Intro(Scene):
            def construct(self):
                self.play(Create(Dot()))
        class Body(Scene):
            def construct(self):
                self.play(Create(Circle()))
        """
    )
    assert made.render.ok and made.render.scene == "Body" and made.render.scenes_skipped == ("Intro",)


def test_a_helper_that_others_derive_from_is_not_a_scene_to_render(studio: Studio) -> None:
    made = studio(
        """
        from manim import *
        class LessonScene(MovingCameraScene):
            def title(self):
                return Circle()
        class Shared(LessonScene):
            def construct(self):
                self.play(Create(self.title()), run_time=0.2)
        class Limits(Shared):
            pass
        class Unfinished(LessonScene):
            pass
        """
    )
    assert made.render.ok and made.render.scene == "Limits" and made.render.scenes_skipped == ()


def test_the_code_cannot_change_the_size_of_the_picture(studio: Studio) -> None:
    made = studio(
        """
        from manim import *
        config.pixel_height = 4320
        config["pixel_width"] = 7680
        config.frame_rate = 120
        config.quality = "fourk_quality"
        config.format = "gif"
        config.media_dir = "/tmp/elsewhere"
        class Demo(Scene):
            def __init__(self, **kwargs):
                config.frame_size = (4320, 7680)
                super().__init__(**kwargs)
            def construct(self):
                self.play(Create(Circle()), run_time=0.4)
        """
    )
    assert made.render.ok, made.render.message
    assert frame(made, 0).shape == (480, 854, 3) and made.render.duration_s == 0.4


def test_a_frame_resized_by_the_code_keeps_circles_round(studio: Studio) -> None:
    made = studio(
        """
        from manim import *
        config.frame_width, config.frame_height = 9, 16
        class Demo(Scene):
            def construct(self):
                self.add(Circle(radius=4, color=WHITE, fill_opacity=1))
        """
    )
    bright = frame(made, 0).max(axis=2) > 128
    wide, high = np.ptp(np.where(bright.any(axis=0))), np.ptp(np.where(bright.any(axis=1)))
    assert abs(wide - high) <= 2


def test_the_same_seed_draws_the_same_picture(studio: Studio, construct: Construct) -> None:
    code = construct(
        "import random\nself.add(*[Dot([random.uniform(-5, 5), np.random.uniform(-3, 3), 0]) for _ in range(9)])"
    )
    first, second, other = (studio(code, seed=seed) for seed in (7, 7, 8))
    assert (frame(first, 0) == frame(second, 0)).all()
    assert (frame(first, 0) != frame(other, 0)).any()


def test_a_higher_quality_gives_more_pixels_and_frames(studio: Studio, construct: Construct) -> None:
    made = studio(construct("self.play(Create(Circle()), run_time=0.5)"), quality=Quality.P720_30, frames=1)
    assert frame(made, 0).shape == (720, 1280, 3) and len(made.render.frames) == 1


def test_a_long_video_is_sampled_to_its_end(studio: Studio, construct: Construct) -> None:
    made = studio(construct("d = Dot()\nself.add(d)\nself.wait(70)\nself.play(d.animate.shift(RIGHT))"), frames=4)
    assert made.render.duration_s == 71.0
    assert [round(picture.t) for picture in made.render.frames] == [0, 24, 47, 71]
    assert np.abs(frame(made, 2) - frame(made, 3)).max() > 100


def test_a_scene_that_does_nothing_is_passed_over_for_one_that_does(studio: Studio) -> None:
    code = """
        from manim import *
        class One(Scene):
            def construct(self):
                self.play(Create(Circle()), run_time=0.3)
        class Empty(Scene):
            def construct(self):
                pass
    """
    assert studio(code).render.scene == "One"


def test_a_scene_may_have_any_name(studio: Studio) -> None:
    name = "A" * 220
    code = f"from manim import *\nclass {name}(Scene):\n    def construct(self):\n        self.add(Circle())\n"
    assert studio(code).render.ok
