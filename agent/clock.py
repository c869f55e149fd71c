"""Where the seconds of a Run go: the model, the renderer, waiting for a processor, and the rest, which is ours."""

import time


class RunClock:
    """Counts on from an earlier part of the same Run. Seconds."""

    def __init__(self, wall_s: float = 0.0, render_s: float = 0.0, wait_s: float = 0.0, model_s: float = 0.0) -> None:
        self._started = time.monotonic() - wall_s
        self.render_s = render_s
        self.wait_s = wait_s
        self.model_s = model_s

    @property
    def wall_s(self) -> float:
        """Since the Run began, interruptions left out."""
        return time.monotonic() - self._started

    @property
    def active_s(self) -> float:
        """What counts against the wall limit: waiting for a processor does not."""
        return self.wall_s - self.wait_s

    @property
    def overhead_s(self) -> float:
        """What neither the model nor the render process nor waiting took."""
        return max(0.0, self.wall_s - self.model_s - self.render_s - self.wait_s)
