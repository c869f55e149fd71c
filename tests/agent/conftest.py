"""A way to run the agent in a folder, with the real renderer."""

from collections.abc import Callable
from pathlib import Path

import pytest

from agent.beginning import begin_run
from agent.config import AgentConfig
from agent.loop import Agent
from agent.models.cores import FreeCores, Processor
from agent.models.scripted import Line, ScriptedModel
from agent.recorder import FolderRecorder
from agent.renderer.client import RendererClient
from agent.renderer.protocol import RenderLimits
from agent.types import FollowUp, Prompt, Run
from agent.workbench import Parts

QUICK_LIMITS = RenderLimits(wall_s=60)


class Desk:
    """Runs scripted models through the real loop and renderer; keeps the model, the recorder and the folder."""

    def __init__(self, renderer: RendererClient, folder: Path) -> None:
        self.folder = folder
        self.renderer = renderer
        self.processor: Processor = FreeCores()
        self.model = ScriptedModel([])
        self.recorder: FolderRecorder | None = None
        self.stages: list[str] = []

    def run(
        self,
        *script: str | Line,
        prompt: Prompt | str = "a dot moves",
        should_stop: Callable[[], bool] = lambda: False,
        history: Run | None = None,
        follow_up: FollowUp | None = None,
        **config: object,
    ) -> Run:
        """One Run of the scripted answers."""
        prompt = Prompt(text=prompt) if isinstance(prompt, str) else prompt
        settings = AgentConfig(**{"render_limits": QUICK_LIMITS} | config)
        self.model = ScriptedModel(script)
        head = history or begin_run(prompt, settings, self.model.name)
        self.recorder = FolderRecorder(self.folder, head, lambda stage, _: self.stages.append(stage), should_stop)
        agent = Agent(Parts(self.model, self.renderer, self.processor), self.folder)
        return agent.run(head.prompt, settings, self.recorder, history=head, follow_up=follow_up)

    def sent(self, call: int) -> str:
        """What the model was told in one call, system and user message together."""
        return "\n".join(message.content for message in self.model.requests[call].messages)


@pytest.fixture
def desk(renderer: RendererClient, tmp_path: Path) -> Desk:
    """A desk in a fresh folder."""
    return Desk(renderer, tmp_path / "run")
