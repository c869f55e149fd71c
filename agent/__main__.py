"""`python -m agent "PROMPT" [--out DIR] [--json] …`"""

import signal
import sys

# An interrupt while the rest is imported ends the process without a word; afterwards the command hears it.
signal.signal(signal.SIGINT, signal.SIG_DFL)

from agent.command import main  # noqa: E402

if __name__ == "__main__":
    sys.exit(main())
