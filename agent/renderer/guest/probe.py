"""Run once at the start: leaves with 42 when Python works inside the sandbox and has lost its rights."""

import os
import sys
from pathlib import Path

# Reaching this line means that the interpreter, the standard library and this folder are readable inside.
if any(Path("/job").iterdir()):
    sys.exit("a folder outside the job shows inside it")
if os.access("/usr", os.W_OK):
    sys.exit("the system could be written to")
sys.exit(42)
