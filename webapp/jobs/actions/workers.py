"""What is written down about the processes that take Runs."""

from collections.abc import Mapping
from datetime import timedelta

from django.db.models.functions import Now
from django.utils import timezone

from agent.renderer.protocol import About
from webapp.jobs.models import Worker

# A worker that has been silent for so long will not come back under its name.
FORGOTTEN_AFTER = timedelta(hours=1)


def worker_seen(name: str, host: str, versions: Mapping[str, str], renderer: About | None) -> None:
    """A worker is alive; `renderer` None says that its renderer is not."""
    Worker.objects.update_or_create(
        name=name,
        defaults={
            "host": host,
            "versions": dict(versions),
            "seen_at": timezone.now(),
            "sandbox_mode": renderer.sandbox_mode if renderer else "",
            "tex_backend": renderer.tex_backend if renderer else "",
        },
    )


def worker_left(name: str) -> None:
    """A worker has ended in order; so have, some time ago, those that never said so."""
    Worker.objects.filter(name=name).delete()
    Worker.objects.filter(seen_at__lt=Now() - FORGOTTEN_AFTER).delete()
