"""A throw-away instance of the web app: all that `./run` keeps running, over an empty folder."""

import io
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from embedded.house import House
from embedded.instance import Instance
from embedded.settings import LIBPQ, SECRETS, read_settings
from embedded.signals import Signals
from embedded.status import missing
from embedded.terminal import Terminal
from embedded.web import listen_on

# gunicorn's own clock: from a request's head to the last byte of its answer, in microseconds.
ACCESS_LOG = "--access-logfile '{}' --access-logformat '%(s)s %(D)s %(U)s'"
ELSEWHERE = (*SECRETS, "LLM_MODEL", "MODEL_FILE", "RENDER_SOCKET", "BOOT_ID")


@dataclass(frozen=True)
class Served:
    """Where the page is, and where the web server notes what each request took."""

    port: int
    access_log: Path

    def seconds(self, status: int, path: str) -> list[float]:
        """What the requests to that path took that were answered with that status, oldest first."""
        rows = [line.split() for line in self.access_log.read_text(encoding="utf-8").splitlines()]
        return [int(took) / 1e6 for answered, took, asked in rows if (int(answered), asked) == (status, path)]


@contextmanager
def running_instance(data: Path, script: Path) -> Iterator[Served]:
    """With one worker and a scripted model; stopped at the end. The settings of this process lead to it from then on.

    Enter it from the main thread. Raises SystemExit with one sentence when it does not come up.
    """
    with listen_on(0) as listener:
        served = Served(listener.getsockname()[1], data / "log" / "requests.log")
        for name in [name for name in os.environ if name in ELSEWHERE or name.startswith(LIBPQ)]:
            del os.environ[name]
        os.environ |= {
            "LLM_BASE_URL": f"scripted:{script}",
            "PROOFREEL_DATA": str(data),
            "WORKERS": "1",
            "DJANGO_SETTINGS_MODULE": "webapp.settings",
            "GUNICORN_CMD_ARGS": ACCESS_LOG.format(served.access_log),
        }
        instance = Instance(replace(read_settings(os.environ), port=served.port))
        instance.claim()
        try:
            with House(instance, listener, Terminal(io.StringIO()), Signals()) as house:
                while not house.is_settled:
                    house.turn()
                if not house.status()["ready"]:
                    raise SystemExit(house.fatal or " ".join(missing(house.status())))
                os.environ |= house.ground.published()
                yield served
        finally:
            instance.release()
