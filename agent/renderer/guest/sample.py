"""Decodes a video in a sandbox of its own: evenly spaced frames as raw RGB, and a description of them.

Reads `/in/video.mp4` and, if there, `/in/still.png`; leaves `frames.rgb`, `still.rgb` and `sample.json` in the job
folder. The host never decodes what came out of hostile code.
"""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import av
from PIL import Image

from .blame import facts
from .ready import announce

JOB = Path("/job")
VIDEO = Path("/in/video.mp4")
STILL = Path("/in/still.png")
# Up to this many frames, decoding all of them is cheaper than seeking to each place.
_SEQUENTIAL_FRAMES = 900


def main() -> None:
    """Read `job.json` ({"frames": count}), sample, write `sample.json`."""
    count = json.loads((JOB / "job.json").read_text(encoding="ascii"))["frames"]
    announce()
    try:
        report = sample(count)
        report["still"] = unpack_still()
    except Exception as error:  # noqa: BLE001 - a forged file may fail anywhere in the decoder
        report = {"error": facts(error)}
    (JOB / "sample.json").write_text(json.dumps(report), encoding="ascii")
    os._exit(0)


def sample(count: int) -> dict[str, Any]:
    """Write `count` frames, the first and the last among them; give their size and times and the duration in s."""
    with av.open(str(VIDEO)) as container, (JOB / "frames.rgb").open("wb") as raw:
        stream = container.streams.video[0]
        duration, gap = _timing(stream)
        last = max(0.0, duration - gap)
        targets = [last * place / max(1, count - 1) for place in range(count)]
        times: list[float] = []
        for frame in _pick(container, targets, gap):
            raw.write(frame.to_ndarray(format="rgb24").tobytes())
            times.append(round(frame.time or 0.0, 3))
        return {"width": stream.width, "height": stream.height, "duration_s": duration, "times": times}


def _timing(stream: Any) -> tuple[float, float]:  # noqa: ANN401 - nothing is certain in a forged file
    """The length of the video and of one frame in seconds. Raises ValueError when the file does not say."""
    if not stream.duration or not stream.average_rate:
        raise ValueError("the video has no length")
    return float(stream.duration * stream.time_base), 1 / float(stream.average_rate)


def _pick(container: Any, targets: list[float], gap: float) -> Iterator[Any]:  # noqa: ANN401
    stream = container.streams.video[0]
    seeks = stream.frames > _SEQUENTIAL_FRAMES
    frames = container.decode(stream)
    current = next(frames)
    for target in targets:
        if seeks:
            container.seek(int(target / stream.time_base), stream=stream)
            frames = container.decode(stream)
            current = next(frames)
        while (current.time or 0.0) < target - gap / 2:
            following = next(frames, None)
            if following is None:
                break
            current = following
        yield current


def unpack_still() -> dict[str, int] | None:
    """Write the picture's pixels to `still.rgb` and give its size, or None where there is no picture."""
    if not STILL.is_file():
        return None
    with Image.open(STILL) as picture:
        pixels = picture.convert("RGB")
    (JOB / "still.rgb").write_bytes(pixels.tobytes())
    return {"width": pixels.width, "height": pixels.height}


if __name__ == "__main__":
    main()
