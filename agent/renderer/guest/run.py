"""Runs one code text in the sandbox; leaves `result.json`, `video.mp4` and perhaps `still.png` in the job folder."""

import json
import linecache
import os
import random
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

from .blame import SCENE_FILE, facts, plain
from .ready import announce

JOB = Path("/job")
_MODULE = "scene"


def main() -> None:
    """Read `job.json`, render, write `result.json` and leave at once, whatever threads the code has left behind."""
    job = json.loads((JOB / "job.json").read_text(encoding="ascii"))
    report: dict[str, Any] = {"stage": "prepare"}
    ours = os.getpid()
    try:
        prepare(job)
        announce()
        render(job, report)
    except BaseException as error:  # noqa: BLE001 - the user's code may raise anything, SystemExit included
        report["error"] = facts(error)
    if os.getpid() != ours:  # a child that the code has forked: it must not write over the report
        os._exit(1)
    (JOB / "result.json").write_text(json.dumps(report), encoding="ascii")
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)


def prepare(job: dict[str, Any]) -> None:
    """Import Manim, set our formulas, fonts and settings, and seed the random numbers."""
    import numpy as np
    from manim import config

    from . import fonts, settings, tex

    tex.install()
    fonts.install()
    chosen = settings.chosen(job, JOB)
    config.update(chosen)
    settings.lock(chosen)
    random.seed(chosen["seed"])
    np.random.seed(chosen["seed"])


def render(job: dict[str, Any], report: dict[str, Any]) -> None:
    """Compile, run and render the code; `report` tells at any moment how far it got."""
    from .scenes import runnable
    from .settings import keep_aspect

    report["stage"] = "compile"
    linecache.cache[SCENE_FILE] = (len(job["code"]), None, job["code"].splitlines(keepends=True), SCENE_FILE)
    code = compile(job["code"], SCENE_FILE, "exec", dont_inherit=True)

    report["stage"] = "module"
    module = ModuleType(_MODULE)
    module.__file__ = SCENE_FILE
    sys.modules[_MODULE] = module
    exec(code, vars(module))  # noqa: S102 - running this code is what the sandbox is for

    report["stage"] = "discover"
    *others, chosen = runnable(module)
    report.update(scene=plain(chosen.__name__), skipped=[plain(scene.__name__) for scene in others][:100])
    keep_aspect()

    report["stage"] = "render"
    plays = count_plays()
    scene = chosen()
    scene.render()
    report.update(animations=len(plays), still=deliver(scene), stage="done")


def count_plays() -> list[None]:
    """Hook `Scene.play`: the returned list grows by one for every play that is not only waiting."""
    from manim import Scene, Wait

    plays: list[None] = []
    original = Scene.play

    def play(self: Scene, *args: Any, **kwargs: Any) -> None:  # noqa: ANN401 - passed through as it came
        original(self, *args, **kwargs)
        if not all(isinstance(animation, Wait) for animation in self.animations or ()):
            plays.append(None)

    Scene.play = play  # type: ignore[method-assign]
    return plays


def deliver(scene: Any) -> bool:  # noqa: ANN401 - mypy cannot follow the classes of user code
    """Put the video under our name; True when the scene played nothing and its last frame had to be held."""
    from . import still

    movie = scene.renderer.file_writer.movie_file_path
    if scene.renderer.num_plays and movie.is_file():
        movie.replace(JOB / "video.mp4")
        return False
    still.keep(scene, JOB / "still.png", JOB / "video.mp4")
    return True


if __name__ == "__main__":
    main()
