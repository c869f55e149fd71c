"""From the row of an Endpoint to a model that answers."""

import os
from dataclasses import dataclass
from pathlib import Path

from agent.config import Settings
from agent.models.client import OpenAIModel
from agent.models.cores import Cores, FreeCores, Processor
from agent.models.embedded import kept_model
from agent.models.model import Model
from agent.models.remote import remote_endpoint
from agent.models.scripted import ScriptedModel
from webapp.endpoints.models import Endpoint


@dataclass(frozen=True)
class Connection:
    """A model, and the processor that its calls and the renders beside it take turns on."""

    model: Model
    processor: Processor


def connected(endpoint: Endpoint, settings: Settings, calls_made: int) -> Connection:
    """Connect a Run that has made `calls_made` calls so far: a script goes on where the Run stands.

    Raises InfrastructureError when the embedded model is not running, CannotStart when the Endpoint can never answer.
    """
    if endpoint.kind == Endpoint.Kind.SCRIPTED:
        return Connection(ScriptedModel.from_file(Path(endpoint.script), calls_made), FreeCores())
    if endpoint.kind == Endpoint.Kind.EMBEDDED:
        return Connection(OpenAIModel(kept_model(settings)), Cores(settings.cache / "cores.lock"))
    key = os.environ.get(endpoint.key_setting) if endpoint.key_setting else None
    found = remote_endpoint(endpoint.base_url, endpoint.model or None, key)
    prices = {"input_price": endpoint.input_price, "output_price": endpoint.output_price}
    return Connection(OpenAIModel(found.model_copy(update=prices)), FreeCores())
