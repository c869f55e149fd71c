"""A Run before its first call, and a Run that goes on after a worker was stopped."""

import uuid
from importlib.metadata import version
from platform import python_version

import agent
from agent.config import AgentConfig
from agent.motion import decide_motion
from agent.types import Motion, Prompt, Run, Usage


def begin_run(prompt: Prompt, config: AgentConfig, model: str) -> Run:
    """A Run before its first call. Motion is decided here, once."""
    if prompt.motion is Motion.AUTO:
        prompt = prompt.model_copy(update={"motion": decide_motion(prompt.text)})
    return Run(
        id=uuid.uuid4().hex,
        prompt=prompt,
        strategy=config.strategy,
        model=model,
        seed=config.seed,
        versions=own_versions(),
    )


def own_versions() -> dict[str, str]:
    """What is installed here and decides over a Run."""
    return {"agent": agent.__version__, "manim": version("manim"), "python": python_version()}


def resumed(run: Run) -> Run:
    """A Run as far as it was recorded, with what it used counted from its parts: nobody closed its books."""
    usage = sum((call.usage for call in run.calls), Usage())
    render_s = sum(iteration.render.wall_s for iteration in run.iterations if iteration.render)
    return run.model_copy(
        update={
            "usage": usage,
            "render_s": max(run.render_s, render_s),
            "wall_s": max(run.wall_s, usage.seconds + render_s),
        }
    )
