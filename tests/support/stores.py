"""The embedded Postgres and Valkey of a test: quick instead of durable unless it asks otherwise, started by hand."""

import subprocess
from collections.abc import Callable
from pathlib import Path
from signal import SIGINT, SIGTERM, Signals

import psycopg
from keeping import PATIENCE_S, eventually

from embedded.child import kill_session, start
from embedded.postgres import Postgres
from embedded.valkey import Valkey

QUICK_POSTGRES = ("-c", "fsync=off", "-c", "synchronous_commit=off", "-c", "full_page_writes=off")
QUICK_VALKEY = ("--appendonly", "no")


def started(command: list[str], log: Path, is_ready: Callable[[], bool]) -> "subprocess.Popen[bytes]":
    """A server that can be used; fails with its own words when it ends before that. It never outlives this process."""
    with log.open("ab") as sink:
        process = start(command, sink, last_signal="INT")

    def look() -> bool:
        assert process.poll() is None, log.read_text(errors="replace")
        return is_ready()

    eventually(look)
    return process


def ended(process: "subprocess.Popen[bytes] | None", first_signal: Signals) -> None:
    """Ask it to end and wait for that."""
    if process is not None:
        process.send_signal(first_signal)
        try:
            process.wait(PATIENCE_S)
        except subprocess.TimeoutExpired:
            kill_session(process.pid)
            raise


class PostgresServer(Postgres):
    """A Postgres of a test."""

    def __init__(self, data: Path, sockets: Path) -> None:
        super().__init__(data, sockets)
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start it and wait until it can be used."""
        command = [*self.prepare(), *QUICK_POSTGRES]
        self.process = started(command, self.data / "postgres.log", self.serves_database)

    def stop(self) -> None:
        """End it as the product does."""
        ended(self.process, SIGINT)

    def url(self, database: str = "proofreel") -> str:
        """DATABASE_URL for that database."""
        return super().url().replace("/proofreel?", f"/{database}?")

    def create_database(self, name: str) -> None:
        """Make one more."""
        with psycopg.connect(self.url(), autocommit=True) as connection:
            connection.execute(f'CREATE DATABASE "{name}"')


class ValkeyServer(Valkey):
    """A Valkey of a test. One that is not durable forgets everything when it ends."""

    def __init__(self, data: Path, sockets: Path, *, durable: bool = False) -> None:
        super().__init__(data, sockets)
        self.process: subprocess.Popen[bytes] | None = None
        self._options = () if durable else QUICK_VALKEY

    def start(self) -> None:
        """Start it and wait until it can be used."""
        self.process = started([*self.prepare(), *self._options], self.data / "valkey.log", self.answers)

    def stop(self) -> None:
        """End it as the product does."""
        ended(self.process, SIGTERM)

    def url(self, number: int = 0) -> str:
        """REDIS_URL for the database of that number."""
        return super().url().replace("?db=0", f"?db={number}")
