"""Keeps the children running, from one event loop in the main thread: a child ends with the thread that started it."""

import time
from collections.abc import Callable, Sequence
from pathlib import Path

from embedded.children import SATISFIED, Child, State
from embedded.life import Life
from embedded.signals import Signals

QUICK_S = 0.05
SLOW_S = 1.0


class Supervisor:
    """Starts each child when what it needs is ready, all others beside it; starts again what has died.

    Once it has been ready, a child keeps running when what it needs dies. `changed` hears of every change of state,
    `show` every line of progress.
    """

    def __init__(
        self,
        children: Sequence[Child],
        logs: Path,
        signals: Signals,
        changed: Callable[[Life], None],
        show: Callable[[str], None],
    ) -> None:
        self.lives = {child.name: Life(child, logs, show) for child in children}
        self._signals = signals
        self._changed = changed
        self._seen = dict.fromkeys(self.lives, State.WAITING)

    @property
    def is_ready(self) -> bool:
        """Whether every child is."""
        return all(life.state in SATISFIED for life in self.lives.values())

    @property
    def fatal(self) -> str:
        """The sentence of a child that cannot start and without which nothing makes sense; else empty."""
        return next((life.message for life in self.lives.values() if life.child.vital and life.hopeless), "")

    @property
    def is_settled(self) -> bool:
        """Whether nothing more will happen unless something outside changes."""
        return bool(self.fatal) or all(life.state in SATISFIED or self._is_stuck(life) for life in self.lives.values())

    def awaited(self, life: Life) -> list[Life]:
        """What it needs and what is not ready."""
        needed = (self.lives[name] for name in life.child.needs)
        return [other for other in needed if other.state not in SATISFIED]

    def turn(self) -> None:
        """Wait for something to happen, at most a second, and see to it."""
        self._start_what_can_start()
        self._wait()
        self._look()

    def stop(self) -> bool:
        """Stop them all, each before what it needs; False when a second wish to stop had them killed."""
        while any(life.state is not State.STOPPED for life in self.lives.values()):
            if self._signals.wishes > 1:
                self._kill()
            for life in self.lives.values():
                if not self._is_needed(life.child.name):
                    life.ask_to_stop()
            self._wait()
            self._look()
        return self._signals.wishes <= 1

    def _start_what_can_start(self) -> None:
        words = {name: life.word for name, life in self.lives.items()}
        for life in self.lives.values():
            waits = life.state is State.WAITING or (life.state is State.FAILED and time.monotonic() >= life.due)
            if waits and not self.awaited(life):
                life.start(words)
                self._note(life)

    def _wait(self) -> None:
        lives = self.lives.values()
        moving = any(life.state in (State.STARTING, State.STOPPING) for life in lives)
        next_start = min((life.due - time.monotonic() for life in lives if life.state is State.FAILED), default=SLOW_S)
        longest = QUICK_S if moving else min(SLOW_S, max(QUICK_S, next_start))
        self._signals.wait([number for life in lives for number in life.descriptors], longest)

    def _look(self) -> None:
        for life in self.lives.values():
            life.look()
            self._note(life)

    def _note(self, life: Life) -> None:
        name = life.child.name
        if self._seen[name] is not life.state:
            self._seen[name] = life.state
            self._changed(life)

    def _is_stuck(self, life: Life) -> bool:
        if life.state is State.WAITING:
            return any(self._is_stuck(self.lives[name]) for name in life.child.needs)
        return life.hopeless

    def _is_needed(self, name: str) -> bool:
        return any(name in life.child.needs and life.state is not State.STOPPED for life in self.lives.values())

    def _kill(self) -> None:
        for life in self.lives.values():
            life.ask_to_stop()
            life.kill()
