"""Compiled modules for the sandbox, which reads the virtual environment but can never write to it.

Without them every render compiles Manim and all it imports again: 1.3 s of processor time.
"""

import os
import subprocess
import sys
from pathlib import Path

import agent
from agent.errors import CannotStart

_WARM_S = 300


def prepare(cache: Path) -> Path:
    """The folder for PYTHONPYCACHEPREFIX, brought up to date by importing once, outside, what a render imports.

    Only our own code runs here. Raises CannotStart when Manim, the formulas or the fonts do not work.
    """
    folder = cache.absolute() / "bytecode"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        folder.chmod(0o755)
    except OSError as error:
        raise CannotStart(f"The cache cannot be written ({error}); PROOFREEL_CACHE names another folder.") from error
    environment = {
        "PATH": os.environ.get("PATH", os.defpath),
        "HOME": os.environ.get("HOME", "/"),
        "LANG": "C.UTF-8",
        "PYTHONPATH": str(Path(agent.__file__).parents[1]),
        "PYTHONPYCACHEPREFIX": str(folder),
    }
    try:
        done = subprocess.run(
            [sys.executable, "-P", "-m", "agent.renderer.guest.warm"],
            env=environment,
            umask=0o022,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=_WARM_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise CannotStart(f"The renderer's Python cannot be started: {error}") from error
    if done.returncode != 0:
        last = done.stderr.strip().splitlines()[-1:] or [f"exit code {done.returncode}"]
        raise CannotStart(f"Manim does not work in {sys.prefix}: {last[0]}")
    return folder
