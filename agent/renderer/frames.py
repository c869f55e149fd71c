"""Pictures of a hostile video: decoded in a second sandbox, checked and encoded as PNG here."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from PIL import Image

from agent.errors import Canceled, InfrastructureError
from agent.renderer.output import Hostile, SampleFailure, SampleReport, Size, open_checked, read_report
from agent.renderer.place import Place
from agent.renderer.protocol import RenderLimits
from agent.renderer.sandbox import Box
from agent.renderer.watchdog import Why, run
from agent.types import Frame

_CHANNELS = 3
_LIMITS = RenderLimits(wall_s=120.0, memory_bytes=2 << 30, disk_bytes=1 << 30)


@dataclass(frozen=True)
class Sample:
    """The length of the video in seconds and its pictures; paths are relative to the folder they were written to."""

    duration_s: float
    frames: tuple[Frame, ...]
    still: str | None


def sample(place: Place, count: int, out: Path, should_stop: Callable[[], bool]) -> Sample:
    """Decode `count` frames of `place.reads/video.mp4` and write them to `out/frames`, a still to `out/still.png`.

    Raises Hostile when the video cannot be decoded, Canceled when asked to stop, InfrastructureError when the decoder
    itself did not run.
    """
    job = place.new_folder("sample")
    place.give("sample/job.json", json.dumps({"frames": count}))
    box = Box(
        job=job,
        tmp=place.new_folder("sample-tmp"),
        uid=place.uid,
        limits=_LIMITS,
        module="sample",
        bytecode=place.bytecode,
        reads={f"/in/{file.name}": file for file in sorted(place.reads.iterdir())},
    )
    ending = run(place.mode, box, place.root / "sample.log", should_stop)
    if ending.why is Why.STOPPED:
        raise Canceled("The render was canceled.")
    if not ending.ready:
        raise InfrastructureError(f"The sandbox for reading the video did not start (exit code {ending.code}).")
    report = _report(job)
    frames = out / "frames"
    frames.mkdir(exist_ok=True)
    with open_checked(job, "frames.rgb", _LIMITS.disk_bytes) as raw:
        for index in range(min(count, len(report.times))):
            _write_png(raw.read(report.width * report.height * _CHANNELS), report, frames / f"{index:02}.png")
    still = None
    if report.still is not None:
        still = "still.png"
        with open_checked(job, "still.rgb", _LIMITS.disk_bytes) as raw:
            _write_png(raw.read(report.still.width * report.still.height * _CHANNELS), report.still, out / still)
    pictures = tuple(Frame(path=f"frames/{i:02}.png", t=time) for i, time in enumerate(report.times[:count]))
    return Sample(duration_s=report.duration_s, frames=pictures, still=still)


def _report(job: Path) -> SampleReport:
    try:
        return read_report(job, "sample.json", SampleReport)
    except Hostile:
        failure = read_report(job, "sample.json", SampleFailure)
        raise Hostile(f"{failure.error.type}: {failure.error.message}") from None


def _write_png(pixels: bytes, size: Size, target: Path) -> None:
    if len(pixels) != size.width * size.height * _CHANNELS:
        raise Hostile("the decoded pixels are fewer than their size says")
    Image.frombytes("RGB", (size.width, size.height), pixels).save(target, compress_level=1)
