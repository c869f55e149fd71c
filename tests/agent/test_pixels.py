"""What sampled frames alone can tell: blank, static, and neither when a person would see something happen."""

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from agent.critique.pixels import pixel_issues
from agent.types import Frame, Motion

HEIGHT, WIDTH = 48, 85


@pytest.fixture
def film(tmp_path: Path):
    def make(*pictures: np.ndarray) -> list[Frame]:
        frames = []
        for number, picture in enumerate(pictures):
            Image.fromarray(picture.astype(np.uint8)).save(tmp_path / f"{number}.png")
            frames.append(Frame(path=f"{number}.png", t=number / 2))
        return frames

    return make


def plain(level: int = 0) -> np.ndarray:
    return np.full((HEIGHT, WIDTH, 3), level)


def with_square(column: int, background: int = 0) -> np.ndarray:
    picture = plain(background)
    picture[10:20, column : column + 10] = (255 - background, 200, 0)
    return picture


def kinds(frames: list[Frame], folder: Path, motion: Motion = Motion.ANIMATED) -> list[str]:
    return [issue.kind for issue in pixel_issues(frames, folder, motion)]


@pytest.mark.parametrize("level", [0, 128, 255])
def test_one_colour_all_along_is_blank_on_any_background(film, tmp_path: Path, level: int) -> None:
    assert kinds(film(*[plain(level)] * 4), tmp_path) == ["blank"]


def test_the_encoders_noise_is_neither_content_nor_movement(film, tmp_path: Path) -> None:
    noise = [plain() + np.random.default_rng(seed).integers(0, 12, (HEIGHT, WIDTH, 3)) for seed in range(4)]
    assert kinds(film(*noise), tmp_path) == ["blank"]
    still = [
        with_square(30) // 2 + np.random.default_rng(seed).integers(0, 12, (HEIGHT, WIDTH, 3)) for seed in range(4)
    ]
    assert kinds(film(*still), tmp_path) == ["static"]


def test_movement_is_seen_even_when_first_and_last_frame_agree(film, tmp_path: Path) -> None:
    assert kinds(film(with_square(10), with_square(30), with_square(10)), tmp_path) == []


def test_a_change_too_slow_to_see_from_one_sample_to_the_next_is_a_change(film, tmp_path: Path) -> None:
    slow = [np.where(with_square(30) > 0, 100 + 8 * step, 0) for step in range(12)]
    assert kinds(film(*slow), tmp_path) == []


def test_a_scene_that_starts_or_ends_empty_is_not_blank(film, tmp_path: Path) -> None:
    assert kinds(film(plain(), with_square(30), plain()), tmp_path) == []


def test_a_still_is_fine_when_it_was_asked_for(film, tmp_path: Path) -> None:
    assert kinds(film(*[with_square(30)] * 3), tmp_path, Motion.STILL) == []


def test_a_blank_still_is_blank_all_the_same(film, tmp_path: Path) -> None:
    assert kinds(film(*[plain()] * 3), tmp_path, Motion.STILL) == ["blank"]


def test_without_frames_nothing_can_be_told(tmp_path: Path) -> None:
    assert kinds([], tmp_path) == []


def test_a_finding_says_when_and_how_to_mend_it(film, tmp_path: Path) -> None:
    (issue,) = pixel_issues(film(*[with_square(30)] * 3), tmp_path, Motion.ANIMATED)
    assert (issue.t_start, issue.t_end) == (0.0, 1.0)
    assert "self.play" in issue.hint
