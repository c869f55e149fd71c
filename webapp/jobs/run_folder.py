"""A Run from its rows and its stored files as the folder that `python -m agent` writes."""

from pathlib import Path

from agent.run_folder import deliver, iteration_folder, write_run
from agent.types import Run as Outline
from webapp.jobs.files import lay_out
from webapp.jobs.history import run_record
from webapp.jobs.models import Run


def write_folder(run: Run, folder: Path) -> Outline:
    """Write the Run as it stands; gives what `run.json` holds. Sampled frames are not kept. Raises OSError."""
    record = without_frames(run_record(run))
    files = {row.index: (row.video, row.still) for row in run.iterations.all()}
    for iteration in record.iterations:
        (iteration_folder(folder, iteration.index) / "scene.py").write_text(iteration.code, encoding="utf-8")
        if iteration.render:
            lay_out(iteration.render, *files[iteration.index], folder)
    final = record.final_render
    if final and record.best_iteration is not None:
        lay_out(final, run.final_video, run.final_still, folder)
        deliver(folder, record.iterations[record.best_iteration], final)
    write_run(folder, record)
    return record


def without_frames(record: Outline) -> Outline:
    """The record of a Run whose folder has no pictures of its drafts."""
    iterations = (
        iteration.model_copy(update={"render": iteration.render and iteration.render.model_copy(update={"frames": ()})})
        for iteration in record.iterations
    )
    final = record.final_render and record.final_render.model_copy(update={"frames": ()})
    return record.model_copy(update={"iterations": tuple(iterations), "final_render": final})
