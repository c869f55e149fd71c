"""Puts an Agent's parts together from settings, for every process edge that runs one: commands and benchmarks."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from agent.beginning import begin_run
from agent.config import AgentConfig, Settings
from agent.loop import Agent
from agent.models.client import OpenAIModel
from agent.models.cores import Cores, FreeCores
from agent.models.embedded import running_model
from agent.models.fetch import ProgressLine
from agent.models.remote import remote_endpoint
from agent.models.scripted import SCRIPTED, ScriptedModel
from agent.recorder import FolderRecorder
from agent.renderer.client import running_renderer
from agent.retrieval.index import build_index
from agent.run_folder import write_run
from agent.types import Outcome, Prompt, Run, StopReason
from agent.workbench import Parts

EMBEDDED = "embedded"


@contextmanager
def ready_parts(source: str | None, settings: Settings, say: Callable[[str], None]) -> Iterator[Parts]:
    """A model, a renderer, a processor and the examples, started here and stopped at the end.

    `source` is `embedded`, a URL or `scripted:FILE`; None takes LLM_BASE_URL, else the embedded model. `say` hears
    one sentence a step. Enter it from the main thread: children end with the thread that started them.
    Raises CannotStart.
    """
    source = source or settings.llm_base_url or EMBEDDED
    with ExitStack() as stack:
        renderer = stack.enter_context(running_renderer())
        examples = build_index(settings.cache)
        if source.startswith(SCRIPTED):
            model = ScriptedModel.from_file(Path(source.removeprefix(SCRIPTED)))
            yield Parts(model, renderer, FreeCores(), examples)
        elif source == EMBEDDED:
            line = ProgressLine()
            endpoint = stack.enter_context(running_model(settings, line.show, say))
            yield Parts(OpenAIModel(endpoint), renderer, Cores(settings.cache / "cores.lock"), examples)
        else:
            endpoint = remote_endpoint(source, settings.llm_model, settings.llm_api_key)
            yield Parts(OpenAIModel(endpoint), renderer, FreeCores(), examples)


def run_in_folder(
    parts: Parts,
    folder: Path,
    prompt: Prompt,
    config: AgentConfig,
    recorder: Callable[[Run], FolderRecorder] | None = None,
) -> Run:
    """One Run whose folder holds `run.json` from the first moment, whatever ends it. What crashes it propagates."""
    head = begin_run(prompt, config, parts.model.name)
    keeper = recorder(head) if recorder else FolderRecorder(folder, head)
    try:
        run = Agent(parts, folder).run(head.prompt, config, keeper, history=head)
    except BaseException:
        crashed = {"outcome": Outcome.FAILED, "stop_reason": StopReason.CRASHED, "message": "The program crashed."}
        with suppress(OSError):  # what stopped the Run may be the folder itself; that error is the one to tell
            write_run(folder, keeper.run.model_copy(update=crashed))
        raise
    write_run(folder, run)
    return run
