"""Chat messages from the templates in `agent/prompts`. No wording of a prompt stands in code."""

from functools import cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from agent.types import Message

PROMPTS = Path(__file__).parent / "prompts"


@cache
def environment() -> Environment:
    """The template environment. Nothing is escaped: these are plain texts for a model, never HTML."""
    loader = FileSystemLoader(PROMPTS)
    return Environment(loader=loader, undefined=StrictUndefined, autoescape=False, auto_reload=False)  # noqa: S701


def render_template(name: str, **values: object) -> str:
    """One template filled in; a name that the template needs and does not get is an error."""
    return environment().get_template(name).render(**values).strip()


def chat(system: str, user: str) -> tuple[Message, ...]:
    """A stateless exchange: one system and one user message."""
    return Message(role="system", content=system), Message(role="user", content=user)
