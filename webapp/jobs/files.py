"""The files of a Run's renders: from the folder that the agent works in to storage, and back when a Run goes on.

Names in storage are made of our ids and content hashes, never of anything that a program said.
"""

import hashlib
import logging
import shutil
from pathlib import Path
from uuid import UUID

from django.core.files import File
from django.core.files.storage import default_storage
from django.db.models.fields.files import FieldFile

from agent.critique.pixels import load, one_colour
from agent.types import Frame, Render
from webapp.jobs.actions.recording import RenderFiles
from webapp.jobs.history import iteration_record
from webapp.jobs.models import Run

# No render may be larger than its sandbox allows; these are for whatever comes out of it by mistake. Bytes.
VIDEO_CAP = 300 << 20
PICTURE_CAP = 20 << 20

log = logging.getLogger(__name__)


class Shelf:
    """Where the files of one Run are kept; `folder` is the run folder that a render's paths are relative to."""

    def __init__(self, run_id: UUID, folder: Path) -> None:
        self._run_id = run_id
        self._folder = folder
        self._kept: dict[str, RenderFiles] = {}

    def keep(self, label: str, render: Render | None) -> RenderFiles:
        """Copy what a render left into storage; what is there already, from an equal render, is only named."""
        if render is None or not render.video:
            return RenderFiles()
        if render.video not in self._kept:
            poster = poster_of(render.frames, self._folder)
            self._kept[render.video] = RenderFiles(
                video=self._store(label, render.video, VIDEO_CAP),
                still=self._store(label, render.still, PICTURE_CAP),
                poster=self._store(f"{label}-poster", poster, PICTURE_CAP),
            )
        return self._kept[render.video]

    def put_back(self, run: Run) -> None:
        """Lay videos and stills of earlier iterations where the agent left them: they needn't be rendered again."""
        for row in run.iterations.all():
            render = iteration_record(row).render
            if render and render.video and row.video.name:
                lay_out(render, row.video, row.still, self._folder)
                names = {"video": row.video.name, "still": row.still.name or "", "poster": row.poster.name or ""}
                self._kept.setdefault(render.video, RenderFiles(**names))

    def _store(self, label: str, path: str | None, cap: int) -> str:
        """Copy one file; the name that it has in storage, empty when there is none to be had."""
        source = self._folder / path if path else None
        if source is None or not source.exists():
            return ""
        size = source.stat().st_size
        if size > cap:
            log.warning("%s of run %s has %d bytes and is not kept", path, self._run_id, size)
            return ""
        with source.open("rb") as content:
            digest = hashlib.file_digest(content, "sha256").hexdigest()[:12]
            name = f"runs/{self._run_id.hex}/{label}-{digest}{source.suffix}"
            if default_storage.exists(name):
                if default_storage.size(name) == size:
                    return name
                default_storage.delete(name)  # half a copy, of a worker that was killed
            content.seek(0)
            return default_storage.save(name, File(content))


def lay_out(render: Render, video: FieldFile, still: FieldFile, folder: Path) -> None:
    """Copy the stored files of a render to where it says that they are, as far as they are still there."""
    for path, file in ((render.video, video), (render.still, still)):
        if path and file.name and default_storage.exists(file.name):
            target = folder / path
            target.parent.mkdir(parents=True, exist_ok=True)
            with default_storage.open(file.name) as content, target.open("wb") as out:
                shutil.copyfileobj(content, out)


def poster_of(frames: tuple[Frame, ...], folder: Path) -> str | None:
    """The frame nearest to the middle that shows something; the middle one when none does."""
    middle = (len(frames) - 1) / 2
    nearest = sorted(range(len(frames)), key=lambda index: abs(index - middle))
    shown = (index for index in nearest if not one_colour(load(frames[index], folder)))
    chosen = next(shown, nearest[0] if nearest else None)
    return None if chosen is None else frames[chosen].path
