"""Where the seconds of a Run go: the model, the renderer, waiting for a processor, and the rest, which is ours."""

import time
from collections.abc import Iterator
from contextlib import contextmanager


class RunClock:
    """Counts on from an earlier part of the same Run. Seconds."""

    def __init__(self, wall_s: float = 0.0, render_s: float = 0.0, wait_s: float = 0.0, model_s: float = 0.0) -> None:
        self._started = time.monotonic() - wall_s
        self._waiting_since: float | None = None
        self._waited_s = wait_s
        self.render_s = render_s
        self.model_s = model_s

    @contextmanager
    def waiting(self) -> Iterator[None]:
        """The time of this block is waiting, however it ends."""
        self._waiting_since = time.monotonic()
        try:
            yield
        finally:
            self.add_wait(time.monotonic() - self._waiting_since)
            self._waiting_since = None

    def add_wait(self, seconds: float) -> None:
        """Waiting that someone else has measured."""
        self._waited_s += seconds

    @property
    def wait_s(self) -> float:
        """What was waited so far, the current wait included."""
        now = 0.0 if self._waiting_since is None else time.monotonic() - self._waiting_since
        return self._waited_s + now

    @property
    def wall_s(self) -> float:
        """Since the Run began, interruptions left out."""
        return time.monotonic() - self._started

    @property
    def active_s(self) -> float:
        """What counts against the wall limit: waiting does not."""
        return self.wall_s - self.wait_s

    @property
    def overhead_s(self) -> float:
        """What neither the model nor the render process nor waiting took."""
        return max(0.0, self.wall_s - self.model_s - self.render_s - self.wait_s)
