"""Every write to the Endpoints."""

from pathlib import Path

from django.db import transaction

from agent.config import Settings
from agent.models.scripted import SCRIPTED
from webapp.endpoints.models import Endpoint

NAME_LENGTH = 100


def register_from_settings(settings: Settings) -> Endpoint:
    """The Endpoint that the settings name, made the default. Calling it again changes nothing.

    LLM_BASE_URL is a URL or `scripted:FILE`; without it the embedded model is meant.
    """
    name, fields = described(settings)
    with transaction.atomic():
        Endpoint.objects.filter(is_default=True).exclude(name=name).update(is_default=False)
        endpoint, _made = Endpoint.objects.update_or_create(name=name, defaults={**fields, "is_default": True})
    return endpoint


def described(settings: Settings) -> tuple[str, dict[str, str]]:
    """The name and the fields of the Endpoint that the settings name."""
    url = settings.llm_base_url
    if not url:
        return "embedded", {"kind": Endpoint.Kind.EMBEDDED}
    if url.startswith(SCRIPTED):
        script = Path(url.removeprefix(SCRIPTED)).absolute()
        return url[:NAME_LENGTH], {"kind": Endpoint.Kind.SCRIPTED, "script": str(script)}
    model = settings.llm_model or ""
    fields = {
        "kind": Endpoint.Kind.REMOTE,
        "base_url": url,
        "model": model,
        "key_setting": "LLM_API_KEY" if settings.llm_api_key else "",
    }
    return f"{model} at {url}".removeprefix(" at ")[:NAME_LENGTH], fields
