"""An endpoint that someone else serves: vLLM, llama-server, Ollama, or a hosted one."""

from urllib.parse import urlsplit

import openai

from agent.errors import CannotStart
from agent.models.endpoint import Endpoint

# Servers with one model take any name; this one is sent when none is set and the list cannot be had.
ANY_MODEL = "default"


def remote_endpoint(base_url: str, model: str | None, api_key: str | None) -> Endpoint:
    """The Endpoint at a URL. Without a model name the first one that the server lists is taken.

    A server that is down now is not an error here: the Run says so. Raises CannotStart when this is no URL.
    """
    try:
        parts = urlsplit(base_url)
        sound = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError:  # a bracket that is not closed, a port that is none
        sound = False
    if not sound:
        raise CannotStart(f"{base_url!r} is not the URL of a model server, such as http://127.0.0.1:8000/v1.")
    if parts.username or parts.password:  # it would be shown wherever the address is
        raise CannotStart("The URL of the model server holds a name or password: set LLM_API_KEY instead.")
    if parts.path in ("", "/"):
        base_url = f"{parts.scheme}://{parts.netloc}/v1"
    return Endpoint(base_url=base_url, model=model or first_listed(base_url, api_key), api_key=api_key)


def first_listed(base_url: str, api_key: str | None) -> str:
    """The first model in the server's list, or ANY_MODEL."""
    try:
        with openai.OpenAI(base_url=base_url, api_key=api_key or "none", timeout=1.5, max_retries=0) as client:
            return next((model.id for model in client.models.list()), ANY_MODEL)
    except (openai.OpenAIError, ValueError, AttributeError):  # down, refused, or not a list of models
        return ANY_MODEL
