"""`python -m agent "PROMPT" [--out DIR] [--json] …`"""

import sys

from agent.command import main

if __name__ == "__main__":
    sys.exit(main())
