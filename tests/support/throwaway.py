"""A Postgres and a Valkey of this process, without durability, in a folder that is removed at its end."""

import atexit
import os
import shutil
import tempfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from stores import PostgresServer, ValkeyServer

from embedded.settings import LIBPQ


@dataclass(frozen=True)
class Throwaway:
    """Where they lie. `start` may be called more than once."""

    folder: Path
    sockets: Path
    postgres: PostgresServer
    valkey: ValkeyServer

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
    postgres = PostgresServer(folder / "postgres", sockets)
    postgres.prepare_password()
    return Throwaway(folder, sockets, postgres, ValkeyServer(folder / "valkey", sockets))


def lead_here() -> None:
    """Make the settings of this process and of its children lead to them, whatever the shell is set up for."""
    here = services()
    for name in [name for name in os.environ if name.startswith(LIBPQ)]:
        del os.environ[name]
    os.environ |= {
        "DATABASE_URL": here.postgres.url("postgres"),
        "REDIS_URL": here.valkey.url(),
        "PROOFREEL_DATA": str(here.folder / "data"),
        "SECRET_KEY": "only for tests",
        "BOOT_ID": "test-boot",
    }
