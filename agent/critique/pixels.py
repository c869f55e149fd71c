"""What can be told from sampled frames alone: is anything there, does anything move."""

from collections.abc import Sequence
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
    if not frames:
        return []
    darkest = brightest = first = load(frames[0], folder)
    blank = one_colour(first)
    for frame in frames[1:]:
        picture = load(frame, folder)
        blank = blank and one_colour(picture)
        darkest, brightest = np.minimum(darkest, picture), np.maximum(brightest, picture)
    if blank:
        return [finding("blank", "The video shows one colour and nothing else.", "Put the objects on screen.", frames)]
    # Over the whole clip, not from frame to frame: a slow change of colour is a change as well.
    moved = int(((brightest - darkest).max(axis=2) > LEVELS).sum()) >= MOVED_PIXELS
    if motion is not Motion.STILL and not moved:
        message = "Nothing moves: the video is a still picture."
        return [finding("static", message, "Show the objects with self.play(...) instead of self.add(...).", frames)]
    return []


def load(frame: Frame, folder: Path) -> np.ndarray:
    """One sampled picture as (height, width, 3)."""
    return np.asarray(Image.open(folder / frame.path).convert("RGB"))


def one_colour(picture: np.ndarray) -> bool:
    """Whether a picture (height, width, 3) holds a single colour, up to the encoder's noise."""
    spread = picture.max(axis=(0, 1)).astype(int) - picture.min(axis=(0, 1))
    return bool((spread <= LEVELS).all())


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
