"""A scene that plays nothing: its last frame as a picture, and held for a few seconds as a video."""

from pathlib import Path
from typing import Any

import av
import numpy as np
from manim import Scene
from numpy.typing import NDArray
from PIL import Image

HOLD_S = 3


def keep(scene: Scene, picture: Path, video: Path) -> None:
    """Write the scene's last frame to `picture` (PNG), and `HOLD_S` seconds of it to `video` (MP4)."""
    renderer: Any = scene.renderer
    renderer.static_image = None
    renderer.update_frame(scene)
    pixels: NDArray[np.uint8] = np.ascontiguousarray(renderer.get_frame()[:, :, :3])
    Image.fromarray(pixels).save(picture)
    rate = round(scene.camera.frame_rate)
    with av.open(str(video), "w", format="mp4") as container:
        stream = container.add_stream("libx264", rate=rate, options={"preset": "veryfast", "threads": "4"})
        stream.height, stream.width = pixels.shape[:2]
        stream.pix_fmt = "yuv420p"
        for _ in range(HOLD_S * rate):
            container.mux(stream.encode(av.VideoFrame.from_ndarray(pixels, format="rgb24")))
        container.mux(stream.encode())
