"""`python -m embedded [--check [--json]]` and `python -m embedded generate "…" --out DIR`: what `./run` hands over to.

Exit codes: 0 all went well · 3 cannot start, after one sentence · 130 interrupted; `generate` has those of
`python -m agent` besides (1 no video, 2 usage).
"""

import argparse
import json
import os
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from embedded.child import EmbeddedError
from embedded.generate import INTERRUPTED, generate
from embedded.house import opened
from embedded.instance import Instance
from embedded.settings import read_settings
from embedded.signals import Signals
from embedded.status import lines
from embedded.terminal import Terminal

CANNOT_START = 3


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


def tell(status: Mapping[str, Any], *, as_json: bool) -> int:
    """The status on stdout; the exit code says whether it is ready."""
    sys.stdout.write(json.dumps(status) + "\n" if as_json else "".join(f"{line}\n" for line in lines(status)))
    sys.stdout.flush()
    return 0 if status["ready"] else CANNOT_START


if __name__ == "__main__":
    sys.exit(main())
