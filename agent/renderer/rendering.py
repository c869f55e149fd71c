"""One render from request to typed result: run the code, read what came out, look at the video."""

import json
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from agent.errors import Canceled
from agent.plain_text import one_line
from agent.renderer.faults import Fault, fault
from agent.renderer.frames import Sample, sample
from agent.renderer.output import GuestReport, Hostile, clean_log, copy_out, read_report
from agent.renderer.place import Ground, Place, place
from agent.renderer.protocol import RenderRequest
from agent.renderer.sandbox import Box
from agent.renderer.watchdog import Ending, Why, run
from agent.types import ErrorKind, Quality, Render

# Width, height, frames per second.
PICTURES = {
    Quality.P480_15: (854, 480, 15),
    Quality.P720_30: (1280, 720, 30),
    Quality.P1080_30: (1920, 1080, 30),
    Quality.P1080_60: (1920, 1080, 60),
}


def render(request: RenderRequest, ground: Ground, uid: int, should_stop: Callable[[], bool]) -> Render:
    """Render the code in fresh sandboxes; files go to `request.out_dir`, paths in the result are relative to it.

    Raises Canceled when asked to stop, InfrastructureError and OSError for faults of ours.
    """
    out = Path(request.out_dir)
    started = time.monotonic()
    with place(ground, uid) as made:
        ending, report, log = _run_code(request, made, should_stop)
        (out / "log.txt").write_text(log, encoding="utf-8")
        failed = fault(ending, report, log, request.limits)
        if failed is not None or report is None:
            failed = failed or _unread("no report")
            if failed.line is not None and failed.line > len(request.code.splitlines()):
                failed = replace(failed, line=None)  # a report that the code has forged
            return _failure(failed, report, ending.wall_s)
        try:
            copy_out((made.root / "job", "video.mp4"), made.reads / "video.mp4", request.limits.disk_bytes)
            if report.still:
                copy_out((made.root / "job", "still.png"), made.reads / "still.png", request.limits.disk_bytes)
            sampled = sample(made, request.frames, out, should_stop)
        except Hostile as error:
            return _failure(_unread(str(error)), report, time.monotonic() - started)
        copy_out((made.reads, "video.mp4"), out / "video.mp4", request.limits.disk_bytes)
        return _success(report, sampled, time.monotonic() - started)


def _run_code(
    request: RenderRequest, made: Place, should_stop: Callable[[], bool]
) -> tuple[Ending, GuestReport | None, str]:
    job, tmp = made.new_folder("job"), made.new_folder("tmp")
    width, height, fps = PICTURES[request.quality]
    task = {"code": request.code, "width": width, "height": height, "fps": fps, "seed": request.seed}
    made.give("job/job.json", json.dumps(task))
    box = Box(job=job, tmp=tmp, uid=made.uid, limits=request.limits, module="run", bytecode=made.bytecode)
    log = made.root / "log.txt"
    ending = run(made.mode, box, log, should_stop)
    if ending.why is Why.STOPPED:
        raise Canceled("The render was canceled.")
    try:
        report = read_report(job, "result.json", GuestReport)
    except Hostile:
        report = None
    return ending, report, clean_log(log, request.limits.output_bytes)


def _unread(reason: str) -> Fault:
    return Fault(ErrorKind.PYTHON, one_line(f"The code left no video that can be read: {reason}"))


def _failure(failed: Fault, report: GuestReport | None, wall_s: float) -> Render:
    return Render(
        ok=False,
        error_kind=failed.kind,
        error_symbol=failed.symbol,
        message=failed.message,
        traceback_tail=failed.traceback_tail,
        line=failed.line,
        scene=one_line(report.scene) if report and report.scene else None,
        scenes_skipped=tuple(one_line(name) for name in report.skipped) if report else (),
        wall_s=round(wall_s, 3),
    )


def _success(report: GuestReport, sampled: Sample, wall_s: float) -> Render:
    return Render(
        ok=True,
        video="video.mp4",
        still=sampled.still,
        frames=sampled.frames,
        scene=one_line(report.scene) if report.scene else None,
        scenes_skipped=tuple(one_line(name) for name in report.skipped),
        animations=report.animations,
        duration_s=round(sampled.duration_s, 3),
        wall_s=round(wall_s, 3),
    )
