"""One video: through the `./run` that is running, else with everything started for it and stopped afterwards."""

import argparse
import os
import signal
import subprocess
import time
from dataclasses import replace

from embedded.child import EmbeddedError, kill_session, start
from embedded.children import State
from embedded.house import House, opened
from embedded.instance import Instance
from embedded.settings import plain_environment, secret_environment
from embedded.signals import Signals
from embedded.status import missing
from embedded.table import MANAGE, WORKER
from embedded.terminal import Terminal

INTERRUPTED = 130
POLL_S = 0.2
STOP_S = 10.0


def generate(instance: Instance, terminal: Terminal, signals: Signals, options: argparse.Namespace) -> int:
    """Make one video; the exit code is that of `manage.py generate`. Raises EmbeddedError, OSError."""
    wishes = {"--out": options.out, "--strategy": options.strategy, "--quality": options.quality}
    command = [*MANAGE, "generate", *(f"{name}={value}" for name, value in wishes.items() if value)]
    command += [*(["--json"] if options.result_json else []), "--", options.prompt]
    if not claimed_after_waiting(instance, terminal, signals):
        if signals.wishes:
            return INTERRUPTED
        environment = environment_of_another(instance, terminal)
        os.execve(command[0], command, environment)  # noqa: S606 (the signals and the exit code are its own)
    instance.settings = replace(instance.settings, workers=max(1, instance.settings.workers))
    with opened(instance, terminal, signals, any_port=True) as house:
        while not house.is_settled and not signals.wishes:
            house.turn()
        if signals.wishes:
            return INTERRUPTED
        if not house.status()["ready"]:
            raise EmbeddedError(house.fatal or missing(house.status())[0])
        code = attend(start(command, subprocess.DEVNULL, house.ground.web(), stdout=None, stderr=None), house, signals)
    return INTERRUPTED if signals.wishes else code


def claimed_after_waiting(instance: Instance, terminal: Terminal, signals: Signals) -> bool:
    """Whether the data folder is ours; False when another `./run` takes work there, or someone wants to stop.

    What is on its way up or down, or works for one command only, is waited for. Raises EmbeddedError with one sentence
    when the other one will not take work.
    """
    told = ""
    while not (claimed := instance.claim()) and not takes_work(instance) and not signals.wishes:
        awaited = "Another command" if instance.environment() is None else "A Proofreel whose workers are not ready yet"
        if told != awaited:
            told = awaited
            terminal.say(f"{awaited} is using the data folder; waiting for it.")
        signals.wait((), POLL_S)
    return claimed


def takes_work(instance: Instance) -> bool:
    """Whether another `./run` on this data is open to us and has a worker that listens.

    Raises EmbeddedError when it has none and will not have one.
    """
    status = instance.status()
    if status is None or instance.environment() is None:
        return False
    workers = [service for name, service in status["services"].items() if name.startswith(WORKER)]
    if any(worker["state"] == State.READY for worker in workers):
        return True
    if not workers:
        raise EmbeddedError(f"Proofreel is running on {instance.settings.data} without workers; set WORKERS there.")
    if status["settled"]:
        raise EmbeddedError(missing(status)[0])
    return False


def environment_of_another(instance: Instance, terminal: Terminal) -> dict[str, str]:
    """The environment that leads to what another `./run` on this data keeps running; says what is not ready there."""
    for sentence in missing(instance.status() or {"services": {}}):
        terminal.say(sentence)
    ours = plain_environment(instance.settings, os.environ) | secret_environment(os.environ)
    return ours | (instance.environment() or {})


def attend(process: "subprocess.Popen[bytes]", house: House, signals: Signals) -> int:
    """Keep the house running until the process ends; whoever wants to stop interrupts it first. Gives its exit code."""
    deadline = float("inf")
    while process.poll() is None:
        house.turn()
        if signals.wishes and deadline == float("inf"):
            process.send_signal(signal.SIGINT)
            deadline = time.monotonic() + STOP_S
        if signals.wishes > 1 or time.monotonic() > deadline:
            kill_session(process.pid)
    return process.returncode
