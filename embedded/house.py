"""Everything between a claimed data folder and its release: the children, and what is said and written about them."""

import os
import secrets
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from types import TracebackType
from typing import Any, Self

from embedded.children import State
from embedded.instance import Instance
from embedded.life import Life
from embedded.signals import Signals
from embedded.status import lines, said_json, status_of
from embedded.supervisor import Supervisor
from embedded.table import Ground, table
from embedded.terminal import Terminal
from embedded.web import listen_on

# When the rest takes longer than that after the page, the person is told how to sign in meanwhile.
SOON_S = 5.0
LEAVE_S = 5.0


class House:
    """A context in which the children run: they are gone when it is left. Raises OSError when the disk is full."""

    def __init__(self, instance: Instance, listener: socket.socket, terminal: Terminal, signals: Signals) -> None:
        settings = instance.settings
        self.ground = Ground(settings, instance.sockets, listener.fileno(), dict(os.environ), secrets.token_hex(16))
        self._supervisor = Supervisor(table(self.ground), settings.logs, signals, self._changed, terminal.show)
        self._instance = instance
        self._terminal = terminal
        self._started = time.monotonic()
        self._page_since: float | None = None
        self._ready_s: float | None = None
        self._introduced = False
        self._told: dict[str, str] = {}
        self._untold_trouble = True

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _: TracebackType | None
    ) -> None:
        self._terminal.say("Stopping.")
        if not self._supervisor.stop():
            self._terminal.say("Stopped at once. What was under way goes on at the next start.")

    @property
    def is_settled(self) -> bool:
        """Whether all is ready, or what is not will not be unless something outside changes."""
        return self._supervisor.is_settled

    @property
    def fatal(self) -> str:
        """Why everything must be stopped: what is vital cannot start. Empty when there is no such reason."""
        return self._supervisor.fatal

    def open_to_others(self) -> None:
        """Let commands beside us find the services. Raises OSError."""
        self._instance.write_environment(self.ground.published())

    def turn(self) -> None:
        """See to what happens within the next second."""
        self._supervisor.turn()
        if self._ready_s is None and self._supervisor.is_ready:
            self._ready_s = round(time.monotonic() - self._started, 2)
            self._write_status()
            if self._introduced:
                self._terminal.say("Everything is ready now.")

    def introduce(self) -> None:
        """Say once where the page is and how to sign in: when all is settled, or when waiting for the rest is long."""
        is_late = self._page_since is not None and time.monotonic() - self._page_since > SOON_S
        if not self._introduced and not self.fatal and (is_late or self.is_settled):
            self._introduced = True
            for line in ("", *lines(self.status()), "Stop with Ctrl-C.", ""):
                self._terminal.say(line)

    def status(self) -> dict[str, Any]:
        """How everything is now."""
        return status_of(self._supervisor, self._instance.settings, self.ground.render_socket, self._ready_s)

    def _changed(self, life: Life) -> None:
        if line := self._news(life):
            self._terminal.say(line)
        self._write_status()

    def _news(self, life: Life) -> str:
        """The line that a change of state is worth. The same failure is not told twice in a row."""
        name = life.child.name
        if life.state is State.FAILED and self._told.get(name) != life.message:
            self._told[name] = life.message
            is_last = life.child.vital and life.hopeless  # then whoever gives up says so
            return "" if is_last else f"{life.message} (Trying again in {life.delay:g} s.)"
        if life.state is State.READY and name == "web" and self._page_since is None:
            self._page_since = time.monotonic()
            return f"The page answers at {self._instance.settings.url}"
        if life.state is State.READY:
            self._told.pop(name, None)
            return f"{life.child.title} is ready."
        if life.state is State.DONE and name == "weights":
            return str(said_json(life.word).get("note", ""))
        return life.message if life.state is State.STOPPED else ""

    def _write_status(self) -> None:
        """A disk that is full must not end what runs; it is told once."""
        try:
            self._instance.write_status(self.status())
            self._untold_trouble = True
        except OSError as error:
            if self._untold_trouble:
                self._terminal.say(f"The status cannot be written to {self._instance.settings.run}: {error.strerror}.")
            self._untold_trouble = False


@contextmanager
def opened(instance: Instance, terminal: Terminal, signals: Signals, *, any_port: bool = False) -> Iterator[House]:
    """A house on the data folder that was claimed; everything is stopped and given back at the end.

    `any_port` takes another port when PORT is in use. Raises EmbeddedError, OSError.
    """
    settings = instance.settings
    try:
        listener = listen_on(settings.port, LEAVE_S if instance.after_crash else 0.0, any_port=any_port)
        instance.settings = replace(settings, port=listener.getsockname()[1])
        with listener, House(instance, listener, terminal, signals) as house:
            yield house
    finally:
        instance.release()
