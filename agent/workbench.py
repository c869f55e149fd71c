"""The model and the renderer as a Run uses them: one at a time on shared cores, timed, and stoppable."""

import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass

from agent.clock import RunClock
from agent.config import AgentConfig
from agent.errors import Canceled, InfrastructureError
from agent.models.cores import Processor
from agent.models.model import Completion, CompletionRequest, Model
from agent.recorder import Recorder
from agent.renderer.protocol import Renderer, RenderRequest
from agent.retrieval.index import ExampleIndex
from agent.types import ErrorKind, Render, Stage

# Infrastructure faults are tried again after these pauses (seconds) and never cost an iteration.
RENDER_PAUSES = (0.5, 2.0)


@dataclass(frozen=True)
class Parts:
    """What an Agent works with. `examples` None means that no examples are retrieved."""

    model: Model
    renderer: Renderer
    processor: Processor
    examples: ExampleIndex | None = None


class Workbench:
    """Makes calls and renders for one Run and keeps its clock."""

    def __init__(self, parts: Parts, config: AgentConfig, recorder: Recorder, clock: RunClock) -> None:
        self.clock = clock
        self._parts = parts
        self._limit_s = config.limits.wall_s
        self._recorder = recorder

    def complete(self, request: CompletionRequest) -> Completion:
        """One model call. Raises ModelError, or Canceled when the person or the time limit ends it."""
        with self._processor(Stage.WRITING):
            started, waited_s = time.monotonic(), 0.0
            try:
                completion = self._parts.model.complete(request, self._should_stop)
                waited_s = completion.waited_s
            finally:  # a call that fails has taken its time as well
                self.clock.model_s += time.monotonic() - started - waited_s
                self.clock.add_wait(waited_s)
        return completion

    def draft(self, request: RenderRequest) -> Render:
        """One render within the Run's time. Raises InfrastructureError once a fault of ours does not pass."""
        return self._render(request, Stage.DRAFTING, self._should_stop)

    def finish(self, request: RenderRequest) -> Render:
        """The final render: it may go on after the Run's time is up, but not after the person left."""
        return self._render(request, Stage.FINISHING, self._recorder.should_stop)

    def _render(self, request: RenderRequest, stage: Stage, should_stop: Callable[[], bool]) -> Render:
        self._recorder.stage(stage, request.quality.value)
        for pause_s in (*RENDER_PAUSES, None):
            try:
                render = self._render_once(request, stage, should_stop)
                fault = render.message
            except InfrastructureError as error:
                render, fault = None, str(error)
            if render and render.error_kind is not ErrorKind.INFRASTRUCTURE:
                return render
            if pause_s is not None:
                self._pause(pause_s, should_stop)
        raise InfrastructureError(f"The renderer failed, which is not the prompt's fault: {fault}")

    def _render_once(self, request: RenderRequest, stage: Stage, should_stop: Callable[[], bool]) -> Render:
        with self._processor(stage):
            started, render = time.monotonic(), None
            try:
                render = self._parts.renderer.render(request, should_stop)
            finally:  # a render that was ended has taken its time as well
                self.clock.render_s += render.wall_s if render else time.monotonic() - started
        return render

    @contextmanager
    def _processor(self, stage: Stage) -> Iterator[None]:
        """Hold a processor; while another process has it, that is the stage a person sees. Waiting has no limit."""
        told = False

        def heard_while_waiting() -> bool:  # asked only while the processor is taken
            nonlocal told
            if not told:
                told = True
                self._recorder.stage(Stage.WAITING_FOR_PROCESSOR, stage.value)
            return self._recorder.should_stop()

        with ExitStack() as held:
            with self.clock.waiting():
                held.enter_context(self._parts.processor.hold(heard_while_waiting))
            if told:
                self._recorder.stage(stage, "")
            yield

    def _should_stop(self) -> bool:
        return self.clock.active_s >= self._limit_s or self._recorder.should_stop()

    def _pause(self, seconds: float, should_stop: Callable[[], bool]) -> None:
        """Wait for a part of ours to recover; this is waiting, not work."""
        with self.clock.waiting():
            started = time.monotonic()
            while time.monotonic() - started < seconds:
                if should_stop():
                    raise Canceled("The run was canceled.")
                time.sleep(0.05)
