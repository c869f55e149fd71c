"""A Postgres and a Valkey of this process, without durability, in a folder that is removed at its end."""

import atexit
import shutil
import tempfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from embedded.postgres import Postgres
from embedded.valkey import Valkey


@dataclass(frozen=True)
class Throwaway:
    """Where they lie. `start` may be called more than once."""

    folder: Path
    sockets: Path
    postgres: Postgres
    valkey: Valkey

    def start(self) -> None:
        if self.postgres.process is None:
            self.postgres.start()
            self.valkey.start()
            atexit.register(self.stop)

    def stop(self) -> None:
        self.valkey.stop()
        self.postgres.stop()


@cache
def services() -> Throwaway:
    """Those of this process; not started yet."""
    folder = Path(tempfile.mkdtemp(prefix="proofreel-test-"))
    sockets = Path(tempfile.mkdtemp(prefix="pr-"))
    for path in (folder, sockets):
        atexit.register(shutil.rmtree, path, ignore_errors=True)
    postgres = Postgres(folder / "postgres", sockets, durable=False)
    postgres.prepare_password()
    return Throwaway(folder, sockets, postgres, Valkey(folder / "valkey", sockets, durable=False))


def environment() -> dict[str, str]:
    """The settings that lead to them, for this process and for its children."""
    here = services()
    return {
        "DATABASE_URL": here.postgres.url("postgres"),
        "REDIS_URL": here.valkey.url(),
        "PROOFREEL_DATA": str(here.folder / "data"),
        "SECRET_KEY": "only for tests",
        "BOOT_ID": "test-boot",
    }
