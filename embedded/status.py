"""How everything is: as `status.json` and `--check --json` give it, and as lines for a person."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from embedded.children import SATISFIED, State
from embedded.settings import Settings
from embedded.supervisor import Supervisor


def status_of(supervisor: Supervisor, settings: Settings, render_socket: Path, ready_s: float | None) -> dict[str, Any]:
    """The status by its fixed names; `ready_s` is known once everything has been ready."""
    about = said_json(_text(render_socket.with_name("about.json")))
    return {
        "ready": supervisor.is_ready,
        "settled": supervisor.is_settled,
        "url": settings.url,
        "sign_in": _sign_in_links(supervisor, settings),
        "sandbox_mode": about.get("sandbox_mode"),
        "tex_backend": about.get("tex_backend"),
        "model": _model(supervisor, settings),
        "services": {name: _service(supervisor, name) for name in supervisor.lives},
        "setup_s": settings.setup_s,
        "ready_s": ready_s,
    }


def lines(status: Mapping[str, Any]) -> list[str]:
    """The same for a person: where the page is, how to sign in, what it runs on, and what is missing."""
    if status["ready"]:
        said = [f"Proofreel is ready: {status['url']}"]
    else:
        has_page = status["services"]["web"]["state"] == State.READY
        said = ["Proofreel is not ready yet" + (f"; its page can be used: {status['url']}" if has_page else ".")]
        said += [f"  {message}" for message in missing(status)]
    if status["sign_in"]:
        said.append("Sign in with one of these links; each works once:")
        said += [f"  {role:<10} {link}" for role, link in status["sign_in"].items()]
    model = status["model"]
    said.append(f"Sandbox: {status['sandbox_mode'] or 'none'}")
    said.append(f"Model:   {', '.join(filter(None, (model['name'], model['source'], model['state'])))}")
    return said


def missing(status: Mapping[str, Any]) -> list[str]:
    """Why it is not ready: a sentence for each service that has failed."""
    services = status["services"].values()
    return list(dict.fromkeys(s["message"] for s in services if s["message"] and s["state"] not in SATISFIED))


def _service(supervisor: Supervisor, name: str) -> dict[str, Any]:
    life = supervisor.lives[name]
    message = life.message
    if life.state is State.WAITING and (awaited := supervisor.awaited(life)):
        titles = (other.child.title.replace("The ", "the ") for other in awaited)
        message = f"{life.child.title} waits for {', '.join(titles)}."
    return {"state": life.state.value, "pid": life.pid, "restarts": life.restarts, "message": message}


def _sign_in_links(supervisor: Supervisor, settings: Settings) -> dict[str, str]:
    database = supervisor.lives["database"]
    if database.state is not State.DONE:
        return {}
    return {role: f"{settings.url}{path}" for role, path in said_json(database.word).get("sign_in", {}).items()}


def _model(supervisor: Supervisor, settings: Settings) -> dict[str, str | None]:
    if not settings.embeds_model:
        name = settings.llm_model or None
        return {"name": name, "sha256": None, "source": settings.model_source, "state": "external"}
    weights = supervisor.lives["weights"]
    if weights.state is not State.DONE:
        state = "missing" if weights.state is State.FAILED else "fetching"
        return {"name": None, "sha256": None, "source": settings.model_source, "state": state}
    found = said_json(weights.word)
    state = supervisor.lives["model"].state.value
    return {"name": found["name"], "sha256": found["sha256"], "source": settings.model_source, "state": state}


def _text(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except OSError:
        return ""


def said_json(text: str) -> dict[str, Any]:
    """A line that a child has said as JSON; empty when it said something else."""
    try:
        found = json.loads(text)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}
