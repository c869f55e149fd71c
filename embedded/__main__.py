"""`python -m embedded [--check [--json]]` and `python -m embedded generate "…" --out DIR`: what `./run` hands over to.

Exit codes: 0 all went well · 3 cannot start, after one sentence · 130 interrupted; `generate` has those of
`python -m agent` besides (1 no video, 2 usage).
"""

import argparse
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from embedded.child import EmbeddedError, kill_session, start
from embedded.house import House
from embedded.instance import Instance
from embedded.settings import plain_environment, read_settings, secret_environment
from embedded.signals import Signals
from embedded.status import lines, missing
from embedded.table import MANAGE
from embedded.terminal import Terminal
from embedded.web import listen_on

CANNOT_START = 3
INTERRUPTED = 130
LEAVE_S = 5.0
POLL_S = 0.2
GENERATE_STOP_S = 10.0


def main(arguments: Sequence[str] | None = None) -> int:
    """The process edge: every error becomes a sentence and an exit code."""
    options = parse(arguments)
    terminal = Terminal(sys.stderr if options.check or options.command else sys.stdout)
    signals = Signals()
    try:
        instance = Instance(read_settings(os.environ))
        if options.command:
            return generate(instance, terminal, signals, options)
        return check(instance, terminal, signals, options) if options.check else run(instance, terminal, signals)
    except EmbeddedError as error:
        terminal.say(str(error))
    except OSError as error:
        place = f" ({error.filename})" if error.filename else ""
        terminal.say(f"Proofreel cannot go on: {error.strerror or error}{place}.")
    return CANNOT_START


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    """The options; argparse exits with 2 and a usage line on what it does not know."""
    parser = argparse.ArgumentParser(prog="./run", description="Proofreel: from a sentence to a video.")
    parser.add_argument("--check", action="store_true", help="start everything, say how it is, stop everything")
    parser.add_argument("--json", action="store_true", help="with --check: the status as JSON on stdout")
    commands = parser.add_subparsers(dest="command", metavar="generate")
    one = commands.add_parser("generate", help="make one video through a running ./run, or start everything for it")
    one.add_argument("prompt", help="what the animation should show")
    one.add_argument("--out", metavar="DIR", help="the folder for the video and run.json (default: a new one in out/)")
    one.add_argument("--strategy", metavar="S", help="default: full")
    one.add_argument("--quality", metavar="Q", help="default: 720p30")
    one.add_argument("--json", action="store_true", dest="result_json", help="the result as JSON on stdout")
    options = parser.parse_args(arguments)
    if options.json and not options.check:
        parser.error("--json goes with --check.")
    if options.check and options.command:
        parser.error("--check and generate exclude each other.")
    return options


def run(instance: Instance, terminal: Terminal, signals: Signals) -> int:
    """Keep everything running until someone wants it to stop."""
    if not instance.claim():
        where = (instance.status() or {}).get("url", "its page will be there in a moment")
        raise EmbeddedError(
            f"Proofreel is already running on {instance.settings.data}: {where} (to run another one, "
            "set PROOFREEL_DATA and PORT)."
        )
    with opened(instance, terminal, signals) as house:
        house.open_to_others()
        while not signals.wishes and not house.fatal:
            house.turn()
            house.introduce()
        if house.fatal:
            raise EmbeddedError(house.fatal)
    return 0


def check(instance: Instance, terminal: Terminal, signals: Signals, options: argparse.Namespace) -> int:
    """Start everything, or look at what runs already, and say how it is: 0 when it is ready, else 3."""
    if not instance.claim():
        terminal.say(f"Proofreel is running already on {instance.settings.data}.")
        status = instance.status()
        if status is None:
            raise EmbeddedError("It is only starting or stopping; try again in a moment.")
        return tell(status, as_json=options.json)
    with opened(instance, terminal, signals) as house:
        while not house.is_settled and not signals.wishes:
            house.turn()
        status = house.status()
        if house.fatal:
            terminal.say(house.fatal)
    if signals.wishes:
        return INTERRUPTED
    # The links have ended with what was started: they are for programs that expect their names.
    return tell(status if options.json else status | {"sign_in": {}}, as_json=options.json)


def generate(instance: Instance, terminal: Terminal, signals: Signals, options: argparse.Namespace) -> int:
    """Make one video; the exit code is that of `manage.py generate`."""
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
    """Whether the data folder is ours; False when another `./run` is open to us, or someone wants to stop.

    What is on its way up or down, or works for one command only, is waited for.
    """
    told = False
    while not (claimed := instance.claim()) and not is_open(instance) and not signals.wishes:
        if not told:
            terminal.say("Another command is using the data folder; waiting for it.")
            told = True
        signals.wait((), POLL_S)
    return claimed


def is_open(instance: Instance) -> bool:
    """Whether another `./run` on this data is open to us, and its database can be used."""
    database = (instance.status() or {}).get("services", {}).get("database", {})
    return instance.environment() is not None and database.get("state") == "done"


def attend(process: "subprocess.Popen[bytes]", house: House, signals: Signals) -> int:
    """Keep the house running until the process ends; whoever wants to stop interrupts it first. Gives its exit code."""
    deadline = float("inf")
    while process.poll() is None:
        house.turn()
        if signals.wishes and deadline == float("inf"):
            process.send_signal(signal.SIGINT)
            deadline = time.monotonic() + GENERATE_STOP_S
        if signals.wishes > 1 or time.monotonic() > deadline:
            kill_session(process.pid)
    return process.returncode


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


def tell(status: Mapping[str, Any], *, as_json: bool) -> int:
    """The status on stdout; the exit code says whether it is ready."""
    sys.stdout.write(json.dumps(status) + "\n" if as_json else "".join(f"{line}\n" for line in lines(status)))
    sys.stdout.flush()
    return 0 if status["ready"] else CANNOT_START


def environment_of_another(instance: Instance, terminal: Terminal) -> dict[str, str]:
    """The environment that leads to what another `./run` on this data keeps running; says what is not ready there."""
    for sentence in missing(instance.status() or {"services": {}}):
        terminal.say(sentence)
    ours = plain_environment(instance.settings, os.environ) | secret_environment(os.environ)
    return ours | (instance.environment() or {})


if __name__ == "__main__":
    sys.exit(main())
