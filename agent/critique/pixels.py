"""What can be told from sampled frames alone: is anything there, does anything move."""

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np
from PIL import Image

from agent.types import Frame, Issue, IssueSource, Motion, Severity

# Differences up to this many of 255 levels are the encoder's, not the scene's.
LEVELS = 16
# Fewer changed pixels than this are no movement that a viewer would notice.
MOVED_PIXELS = 20


def pixel_issues(frames: Sequence[Frame], folder: Path, motion: Motion) -> list[Issue]:
    """Check frames (paths relative to `folder`): `blank` when every frame is one colour, `static` when nothing moves
    although movement was asked for. Both are errors. No frames means nothing can be told."""
    pictures = [np.asarray(Image.open(folder / frame.path).convert("RGB"), dtype=np.int16) for frame in frames]
    if not pictures:
        return []
    if all(one_colour(picture) for picture in pictures):
        return [finding("blank", "The video shows one colour and nothing else.", "Put the objects on screen.", frames)]
    moved = any(changed_pixels(a, b) >= MOVED_PIXELS for a, b in pairwise(pictures))
    if motion is not Motion.STILL and not moved:
        message = "Nothing moves: the video is a still picture."
        return [finding("static", message, "Show the objects with self.play(...) instead of self.add(...).", frames)]
    return []


def one_colour(picture: np.ndarray) -> bool:
    """Whether a picture (height, width, 3) holds a single colour, up to the encoder's noise."""
    spread = picture.max(axis=(0, 1)) - picture.min(axis=(0, 1))
    return bool((spread <= LEVELS).all())


def changed_pixels(first: np.ndarray, second: np.ndarray) -> int:
    """How many pixels differ visibly between two pictures of one size."""
    return int((np.abs(first - second).max(axis=2) > LEVELS).sum())


def finding(kind: str, message: str, hint: str, frames: Sequence[Frame]) -> Issue:
    """An error over the whole length of the video."""
    return Issue(
        kind=kind,
        severity=Severity.ERROR,
        source=IssueSource.PIXELS,
        message=message,
        t_start=frames[0].t,
        t_end=frames[-1].t,
        hint=hint,
    )
