"""`python keeper.py FOLDER`: the real supervisor over small programs that FOLDER/table.json describes.

Prints a line of JSON for each change of state. Ends as `./run` does: when told to, or when a vital child cannot start.
"""

import json
import os
import signal
import sys
from pathlib import Path

from embedded.children import Child
from embedded.life import Life
from embedded.signals import Signals
from embedded.supervisor import Supervisor


def say(**words: object) -> None:
    sys.stdout.write(json.dumps(words) + "\n")
    sys.stdout.flush()


def changed(life: Life) -> None:
    say(name=life.child.name, state=life.state, pid=life.pid, delay=life.delay, message=life.message)


def child(row: dict[str, object]) -> Child:
    program = str(row.pop("program"))
    row["needs"] = tuple(row.get("needs", ()))
    if "first_signal" in row:
        row["first_signal"] = signal.Signals[str(row["first_signal"])]
    return Child(
        title=f"The {row['name']}", command=lambda _: ["bash", "-c", program], environment=dict(os.environ), **row
    )


def main() -> int:
    folder = Path(sys.argv[1])
    signals = Signals()
    rows = json.loads((folder / "table.json").read_text())
    supervisor = Supervisor([child(row) for row in rows], folder, signals, changed, lambda line: say(shown=line))
    while not signals.wishes and not supervisor.fatal:
        supervisor.turn()
    fatal = supervisor.fatal
    say(stopped=supervisor.stop(), fatal=fatal)
    return 3 if fatal else 0


if __name__ == "__main__":
    sys.exit(main())
