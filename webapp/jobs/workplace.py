"""What a worker process keeps at hand for the Runs that it carries out."""

import shutil
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from uuid import uuid4

from django.conf import settings

from agent.beginning import own_versions
from agent.config import Settings, read_settings
from agent.renderer.client import RendererClient, running_renderer
from agent.retrieval.index import ExampleIndex, build_index
from webapp.jobs.actions.leases import Lease
from webapp.jobs.models import Run, Status


@dataclass(frozen=True)
class Workplace:
    """The parts that every Run shares. `folder` holds one folder for each Run in hand; `leaving` is set when this
    process has to end."""

    renderer: RendererClient
    settings: Settings
    examples: ExampleIndex | None
    folder: Path
    name: str = field(default_factory=lambda: f"{socket.gethostname()[:60]}-{uuid4().hex[:8]}")
    leaving: threading.Event = field(default_factory=threading.Event)

    @cached_property
    def versions(self) -> dict[str, str]:
        """What is installed here."""
        return own_versions()

    @contextmanager
    def run_folder(self, lease: Lease) -> Iterator[Path]:
        """An empty folder for one Run in hand, which is gone afterwards."""
        folder = self.folder / folder_name(lease)
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        folder.mkdir(mode=0o700)
        try:
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def sweep(self) -> None:
        """Remove the folders of workers that were killed, here or on another host that shares the folder."""
        found = list(self.folder.glob("*"))  # before the rows are read: a folder is made after its claim
        claims = Run.objects.filter(status=Status.STARTED).values_list("id", "lease")
        in_hand = {folder_name(Lease(run_id=run_id, token=token)) for run_id, token in claims if token}
        for path in found:
            if path.name not in in_hand:
                shutil.rmtree(path, ignore_errors=True)


def folder_name(lease: Lease) -> str:
    """One for each start of a Run, so that a worker which has lost it touches nothing of its successor's."""
    return f"{lease.run_id.hex}-{lease.token.hex}"


@contextmanager
def open_workplace() -> Iterator[Workplace]:
    """The workplace of this process, with the renderer of the settings or one of its own for the block.

    Enter it from the main thread: a renderer ends with the thread that started it. Raises CannotStart.
    """
    agent_settings = read_settings()
    examples = build_index(agent_settings.cache)
    folder = settings.ENVIRONMENT.data / "work"
    if settings.RENDER_SOCKET:
        yield Workplace(RendererClient(settings.RENDER_SOCKET), agent_settings, examples, folder)
    else:
        with running_renderer() as renderer:
            yield Workplace(renderer, agent_settings, examples, folder)
