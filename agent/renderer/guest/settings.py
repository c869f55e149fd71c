"""Manim's settings for one render, and a lock on those that the user's code must not change."""

from pathlib import Path
from typing import Any

from manim import config
from manim._config.utils import ManimConfig

# Names whose setters are silenced: picture size, what is written and where, and anything that opens a window.
_LOCKED_TOO = ("frame_size", "quality", "transparent", "save_last_frame", "write_all", "enable_gui", "log_to_file")
_DEFAULT_FRAME = (config.frame_width, config.frame_height)


def chosen(job: dict[str, Any], folder: Path) -> dict[str, Any]:
    """The settings of a job: its picture size and rate, one MP4, no cache, no progress bars."""
    return {
        "pixel_width": job["width"],
        "pixel_height": job["height"],
        "frame_rate": job["fps"],
        "media_dir": str(folder / "media"),
        "format": "auto",
        "background_opacity": 1.0,
        "disable_caching": True,
        "dry_run": False,
        "save_sections": False,
        "preview": False,
        "live_preview": False,
        "show_in_file_browser": False,
        "renderer": "cairo",
        "output_file": "",
        "input_file": "",
        "from_animation_number": 0,
        "upto_animation_number": -1,
        "verbosity": "WARNING",
        "progress_bar": "none",
        "video_codec": "auto",
        "pixel_format": "auto",
        # A fixed number of threads: x264's own choice grows with the machine and would hit the limit on processes.
        "video_encoder_options": {"preset": "veryfast", "threads": "4"},
        "seed": job["seed"] % 2**32,
    }


def lock(settings: dict[str, Any]) -> None:
    """Make every later write to these settings do nothing, whichever way the user's code writes them."""
    for name in (*settings, *_LOCKED_TOO):
        getter = getattr(ManimConfig, name).fget
        setattr(ManimConfig, name, property(getter, _ignore))


def keep_aspect() -> None:
    """Fit a frame that the user's code has resized to our pixels, so that all of it shows and circles stay round."""
    if (config.frame_width, config.frame_height) == _DEFAULT_FRAME:
        return
    height = max(config.frame_height, config.frame_width / config.aspect_ratio)
    config.frame_height = height
    config.frame_width = height * config.aspect_ratio


def _ignore(_config: ManimConfig, _value: object) -> None:
    """The setter of a locked setting."""
