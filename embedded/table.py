"""The table of everything that `./run` keeps running, in the order of starting; it stops in the reverse order."""

import json
import os
import secrets
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from embedded.children import Child, Words
from embedded.postgres import Postgres
from embedded.settings import ROOT, Settings, libpq_environment, plain_environment, secret_environment
from embedded.valkey import Valkey
from embedded.web import HealthProbe

# -P: what lies in the current folder must not be taken for our modules.
PYTHON = (sys.executable, "-P")
MANAGE = (sys.executable, str(ROOT / "manage.py"))
WORKER = "worker-"
THREADS = 12
RECONCILE_S = 5
# The first start on a machine compiles Manim and everything that it imports.
RENDERER_S = 300.0
# A database may have grown when the product is renewed.
MIGRATE_S = 1800.0
LOAD_S = 180.0
# A worker gives its Run back to the queue within 5 s.
WORKER_STOP_S = 10.0


@dataclass(frozen=True)
class Ground:
    """What the table is made from."""

    settings: Settings
    sockets: Path
    port: int  # the descriptor of the listening socket
    environ: dict[str, str]
    boot_id: str

    @property
    def render_socket(self) -> Path:
        """Where the renderer listens."""
        return self.sockets / "render.sock"

    @property
    def plain(self) -> dict[str, str]:
        """The environment without secrets."""
        return plain_environment(self.settings, self.environ)

    def published(self) -> dict[str, str]:
        """The settings by which others find the services. Raises OSError."""
        postgres = self.postgres()
        if not self.settings.database_url:
            postgres.prepare_password()
        return libpq_environment(self.settings, self.environ) | {
            "DATABASE_URL": self.settings.database_url or postgres.url(),
            "REDIS_URL": self.settings.redis_url or self.valkey().url(),
            "RENDER_SOCKET": str(self.render_socket),
            "PROOFREEL_DATA": str(self.settings.data),
        }

    def web(self) -> dict[str, str]:
        """The environment of the web app and its workers. Raises OSError."""
        return self.plain | secret_environment(self.environ) | self.published() | {"BOOT_ID": self.boot_id}

    def postgres(self) -> Postgres:
        """The embedded Postgres."""
        return Postgres(self.settings.data / "postgres", self.sockets)

    def valkey(self) -> Valkey:
        """The embedded Valkey."""
        return Valkey(self.settings.data / "valkey", self.sockets)


def table(ground: Ground) -> list[Child]:
    """Every child. What does not need another starts beside it. Raises OSError."""
    return [*_stores(ground), *_studio(ground), *_model(ground), *_web_app(ground)]


def _stores(ground: Ground) -> Iterator[Child]:
    """Postgres and Valkey, unless they are given.

    After a crash they read what they have written for as long as that takes; whoever is killed meanwhile begins anew.
    """
    settings, plain = ground.settings, ground.plain
    if not settings.database_url:
        postgres = ground.postgres()
        folders = ("--data", str(postgres.data), "--sockets", str(ground.sockets))
        yield Child(
            "postgres",
            "Postgres",
            _always(*PYTHON, "-m", "embedded.postgres", *folders),
            plain,
            probe=postgres.serves_database,
            vital=True,
            patience_s=None,
            first_signal=signal.SIGINT,
            stop_s=20.0,
        )
    if not settings.redis_url:
        valkey = ground.valkey()
        yield Child(
            "valkey",
            "Valkey",
            lambda _: valkey.prepare(),
            plain,
            probe=valkey.answers,
            vital=True,
            patience_s=None,
            stop_s=10.0,
        )


def _studio(ground: Ground) -> Iterator[Child]:
    """The renderer, with no secret in its environment."""
    options = ("--socket", str(ground.render_socket), "--die-with-parent", str(os.getpid()))
    yield Child(
        "renderer",
        "The renderer",
        _always(*PYTHON, "-m", "agent.renderer.serve", *options),
        ground.plain,
        patience_s=RENDERER_S,
        stop_s=15.0,
    )


def _model(ground: Ground) -> Iterator[Child]:
    """The weights, then the server of the embedded model, unless another one is named."""
    if not ground.settings.embeds_model:
        return
    state = ground.settings.cache / "run" / "model-server.json"
    yield Child(
        "weights",
        "The model's file",
        _always(*PYTHON, "-m", "agent.models.locate"),
        ground.plain,
        once=True,
        shows="model: ",
        patience_s=None,
    )
    yield Child(
        "model",
        "The model",
        lambda words: _model_server(json.loads(words["weights"]), state),
        ground.plain | {"PROOFREEL_MODEL_KEY": secrets.token_urlsafe(32)},
        needs=("weights",),
        patience_s=LOAD_S,
        leaves=state,
    )


def _web_app(ground: Ground) -> Iterator[Child]:
    """The database's tables and people, then the page, the reconciler and the workers."""
    settings, web = ground.settings, ground.web()
    postgres = () if settings.database_url else ("postgres",)
    stores = ("database", *postgres, *(() if settings.redis_url else ("valkey",)))
    model = ("model",) if settings.embeds_model else ()
    prepare = _always(*MANAGE, "prepare")
    yield Child("database", "The database", prepare, web, postgres, once=True, vital=True, patience_s=MIGRATE_S)
    yield Child(
        "web",
        "The web server",
        _always(*PYTHON, *_gunicorn(ground.port)),
        web,
        stores,
        vital=True,
        probe=HealthProbe(settings.port),
        pass_fds=(ground.port,),
    )
    yield Child("reconciler", "The reconciler", _always(*MANAGE, "reconcile", "--every", str(RECONCILE_S)), web, stores)
    for number in range(1, settings.workers + 1):
        needs = (*stores, "renderer", *model)
        work = _always(*MANAGE, "work")
        yield Child(f"{WORKER}{number}", f"Worker {number}", work, web, needs, stop_s=WORKER_STOP_S)


def _always(*command: str) -> Callable[[Words], Sequence[str]]:
    """A command line that depends on nobody's words."""
    return lambda _words: command


def _model_server(weights: dict[str, str], state: Path) -> Sequence[str]:
    state.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    what = ("--model", weights["path"], "--alias", weights["name"], "--sha256", weights["sha256"])
    return (*PYTHON, "-m", "agent.models.server", *what, "--state", str(state), "--parent", str(os.getpid()))


def _gunicorn(port: int) -> Sequence[str]:
    how = ("-k", "gthread", "--threads", str(THREADS), "--graceful-timeout", "2", "--no-control-socket")
    return ("-m", "gunicorn", "webapp.wsgi", *how, "--bind", f"fd://{port}", "--chdir", str(ROOT))
