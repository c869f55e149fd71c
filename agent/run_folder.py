"""A Run as a folder: `run.json`, `scene.py`, `video.mp4`, `iterations/N/…`."""

import shutil
from pathlib import Path

from agent.types import Iteration, Render, Run

RUN_FILE = "run.json"


def iteration_folder(folder: Path, index: int) -> Path:
    """The folder of one iteration; made if it is not there."""
    path = folder / "iterations" / str(index)
    path.mkdir(parents=True, exist_ok=True)
    return path


def write_run(folder: Path, run: Run) -> None:
    """Write `run.json` whole or not at all, so that a reader never sees half of it."""
    folder.mkdir(parents=True, exist_ok=True)
    partial = folder / f".{RUN_FILE}.partial"
    partial.write_text(run.model_dump_json(indent=2) + "\n", encoding="utf-8")
    partial.replace(folder / RUN_FILE)


def read_run(folder: Path) -> Run:
    """The Run of a folder. Raises OSError or pydantic.ValidationError."""
    return Run.model_validate_json((folder / RUN_FILE).read_text(encoding="utf-8"))


def relative_to_run(render: Render, folder: Path, out_dir: Path) -> Render:
    """A render's paths, given relative to its own `out_dir`, made relative to the run folder."""
    prefix = out_dir.relative_to(folder)

    def moved(path: str | None) -> str | None:
        return str(prefix / path) if path else None

    frames = tuple(frame.model_copy(update={"path": str(prefix / frame.path)}) for frame in render.frames)
    return render.model_copy(update={"video": moved(render.video), "still": moved(render.still), "frames": frames})


def deliver(folder: Path, iteration: Iteration, render: Render) -> str | None:
    """Put the delivered iteration where a person looks first: `scene.py`, `video.mp4`, `still.png`.

    Returns the video's name in the folder, or None when the render has none.
    """
    (folder / "scene.py").write_text(iteration.code, encoding="utf-8")
    if render.still:
        shutil.copyfile(folder / render.still, folder / "still.png")
    if not render.video:
        return None
    shutil.copyfile(folder / render.video, folder / "video.mp4")
    return "video.mp4"
