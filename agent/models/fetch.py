"""`python -m agent.models.fetch [--size 1.5B]`: fetch the weights; progress on stderr, the path on stdout."""

import argparse
import sys

from agent.config import read_settings
from agent.errors import CannotStart
from agent.models.pins import pinned_files
from agent.models.progress import Progress
from agent.models.weights import fetch


class ProgressLine:
    """Progress on stderr: one line that is rewritten on a terminal, else a line for each part."""

    def __init__(self) -> None:
        self._rewrites = sys.stderr.isatty()
        self._last: tuple[str, int] | None = None

    def show(self, progress: Progress) -> None:
        """Show this moment, unless it says nothing new to a log."""
        moment = (progress.step.value, progress.part)
        if self._rewrites:
            sys.stderr.write(f"\r\x1b[K{progress.sentence()}")
        elif moment != self._last:
            sys.stderr.write(f"{progress.sentence()}\n")
        sys.stderr.flush()
        self._last = moment

    def end(self) -> None:
        """Leave the terminal on a fresh line."""
        if self._rewrites and self._last is not None:
            sys.stderr.write("\n")


def main(arguments: list[str] | None = None) -> int:
    """Exit code 0 with the path printed, 3 with one sentence, 130 when interrupted."""
    parser = argparse.ArgumentParser(prog="python -m agent.models.fetch", description="Fetch the model's weights.")
    parser.add_argument("--size", choices=list(pinned_files()), help="default: MODEL_SIZE, else 1.5B")
    options = parser.parse_args(arguments)
    line = ProgressLine()
    try:
        settings = read_settings()
        path = fetch(options.size or settings.model_size, settings.cache, line.show)
    except CannotStart as error:
        line.end()
        sys.stderr.write(f"{error}\n")
        return 3
    except KeyboardInterrupt:
        line.end()
        sys.stderr.write("Stopped; the next fetch goes on at the last whole part.\n")
        return 130
    line.end()
    sys.stdout.write(f"{path}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
