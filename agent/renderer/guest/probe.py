"""Run once at the start: leaves with 42 when Python works inside the sandbox and has lost its rights."""

import os
import sys
from pathlib import Path

# Reaching this line means that the interpreter, the standard library and this folder are readable inside.
sys.exit(42 if not any(Path("/job").iterdir()) and not os.access("/usr", os.W_OK) else 1)
