"""The life of one child: started, watched until it is ready, started again with back-off, stopped."""

import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

from embedded.child import EmbeddedError, complaint, kill_session, start
from embedded.children import STARTED, Child, State, Words
from embedded.hearing import Ear, Log, OwnFile

FIRST_DELAY_S = 0.5
LONGEST_DELAY_S = 30.0
GOOD_LIFE_S = 60.0
ATTEMPTS = 3
CANNOT_START = 3
SENTENCE_CAP = 500


class Life:
    """One child from its first start to its end. Every method returns at once; times are monotonic seconds."""

    def __init__(self, child: Child, logs: Path, show: Callable[[str], None]) -> None:
        self.child = child
        self.state = State.WAITING
        self.message = ""  # why it is not there, as a sentence; empty when there is nothing to say
        self.word = ""  # its first line on stdout
        self.restarts = 0
        self.due = 0.0
        self.delay = 0.0
        self._show = show
        self._log = Log(logs / f"{child.name}.log")
        self._own_file = OwnFile(child.leaves)
        self._process: subprocess.Popen[bytes] | None = None
        self._voice: Ear | None = None
        self._progress: Ear | None = None
        self._born = 0.0
        self._deadline = float("inf")
        self._failures = 0
        self._has_been_ready = False
        self._cannot_start = False

    @property
    def pid(self) -> int | None:
        """Of the process, while there is one."""
        return self._process.pid if self._process is not None and self.state in STARTED else None

    @property
    def hopeless(self) -> bool:
        """Whether it has never been ready, and trying once more is not expected to help."""
        return not self._has_been_ready and (self._cannot_start or self._failures >= ATTEMPTS)

    @property
    def descriptors(self) -> list[int]:
        """What becomes readable when the child speaks."""
        return [ear.descriptor for ear in (self._voice, self._progress) if ear is not None and not ear.closed]

    def start(self, words: Words) -> None:
        """Start it; that it cannot be started is one of the ways to fail."""
        self.restarts += self.state is State.FAILED
        self._born = time.monotonic()
        self._deadline = float("inf") if self.child.patience_s is None else self._born + self.child.patience_s
        self.state, self.word, self._process = State.STARTING, "", None
        try:
            self._process = self._spawn(words)
        except EmbeddedError as error:
            self._fail(str(error))
        except OSError as error:
            self._fail(f"{self.child.title} cannot be started: {error.strerror or error}.")

    def look(self) -> None:
        """Take note of what has happened since the last look."""
        if self._process is None or self.state not in STARTED:
            return
        code = self._process.poll()
        self._listen()
        if code is not None:
            self._bury(code)
        elif self.state is State.STOPPING and time.monotonic() > self._deadline:
            self.message = f"{self.child.title} did not stop within {self.child.stop_s:g} s and was killed."
            self.kill()
        elif self.state is State.STARTING:
            self._check_readiness()
        elif self.state is State.READY:
            self._own_file.keep()

    def ask_to_stop(self) -> None:
        """Send it the signal that it ends on; `look` sees to the rest."""
        if self.state in (State.STARTING, State.READY) and self._process is not None:
            self._process.send_signal(self.child.first_signal)
            self.state, self.message = State.STOPPING, ""
            self._deadline = time.monotonic() + self.child.stop_s
        elif self.state is not State.STOPPING:
            self.state, self.message = State.STOPPED, ""

    def kill(self) -> None:
        """Kill everything that it has started, and itself."""
        if self.pid is not None:
            kill_session(self.pid)

    def _spawn(self, words: Words) -> "subprocess.Popen[bytes]":
        command = self.child.command(words)
        streams = {"stdout": subprocess.PIPE} if self.child.probe is None else {}
        streams |= {"stderr": subprocess.PIPE} if self.child.shows else {}
        last_signal = self.child.first_signal.name.removeprefix("SIG")
        with self._log.open() as log:
            process = start(command, log, self.child.environment, last_signal, pass_fds=self.child.pass_fds, **streams)
        self._voice = Ear(process.stdout) if process.stdout is not None else None
        self._progress = Ear(process.stderr) if process.stderr is not None else None
        return process

    def _listen(self) -> None:
        for line in self._voice.lines() if self._voice is not None else ():
            if self.word:
                self._log.add(line)
            else:
                self.word = line  # never in the log: it may hold secrets
        for line in self._progress.lines() if self._progress is not None else ():
            self._log.add(line)
            if line.startswith(self.child.shows):
                self._show(line)

    def _check_readiness(self) -> None:
        try:
            ready = self.child.probe() if self.child.probe is not None else bool(self.word) and not self.child.once
        except EmbeddedError as error:
            self._give_up(str(error))
            return
        if ready:
            self.state, self.message = State.READY, ""
            self._has_been_ready, self._failures = True, 0
            self._own_file.remember()
        elif time.monotonic() > self._deadline:
            last = self._last_words()
            self._give_up(f"{self.child.title} was not ready within {self.child.patience_s:g} s: {last}")

    def _give_up(self, message: str) -> None:
        self.kill()
        if self._process is not None:
            self._process.wait()
        self._fall_silent()
        self._fail(message)

    def _bury(self, code: int) -> None:
        """It has ended: what is left of its session ends too, and either that was right or it has failed."""
        if self._process is not None:
            kill_session(self._process.pid)
        self._fall_silent()
        self._own_file.remove()
        if self.state is State.STOPPING:
            self.state = State.STOPPED
        elif self.child.once and code == 0:
            self.state, self.message, self._has_been_ready = State.DONE, "", True
        elif code == CANNOT_START:
            self._cannot_start = True
            self._fail(self._last_words())
        else:
            verb = "ended" if self.state is State.READY else "failed" if self.child.once else "did not start"
            self._fail(f"{self.child.title} {verb} ({_how(code)}): {self._last_words()}")

    def _fail(self, message: str) -> None:
        lived_well = self.state is State.READY and time.monotonic() - self._born >= GOOD_LIFE_S
        self.delay = FIRST_DELAY_S if lived_well or not self.delay else min(2 * self.delay, LONGEST_DELAY_S)
        self._failures += 1
        self.state, self.message, self.due = State.FAILED, message, time.monotonic() + self.delay

    def _last_words(self) -> str:
        """What it said last in this life; of what it said before it was ready, rather the line about an error."""
        text = self._log.tail()
        last = complaint(text) if self.state is State.STARTING and not self._cannot_start else text.rpartition("\n")[2]
        # How Django's command line introduces the sentence of a command.
        return last.strip().removeprefix("CommandError: ")[:SENTENCE_CAP] or "it said nothing"

    def _fall_silent(self) -> None:
        for ear in (self._voice, self._progress):
            if ear is not None:
                ear.close()
        self._voice = self._progress = None


def _how(code: int) -> str:
    return f"exit code {code}" if code >= 0 else f"killed by {signal.Signals(-code).name}"
