"""What `./run` takes from its environment, and the places that follow from it."""

import os
import urllib.parse
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from embedded.child import EmbeddedError

ROOT = Path(__file__).parents[1]
SCRIPTED = "scripted:"
MOST_WORKERS = 32
# What only the web app and its workers may see; everything else is started without it.
SECRETS = ("DATABASE_URL", "REDIS_URL", "LLM_API_KEY", "SECRET_KEY")
# What libpq reads besides DATABASE_URL, passwords among it: PGPORT, PGHOSTADDR, PGSERVICE, PGOPTIONS and so on.
LIBPQ = "PG"


@dataclass(frozen=True)
class Settings:
    """The settings by name. A URL that is empty means that the embedded service is started. Every path is absolute."""

    port: int
    workers: int
    data: Path
    cache: Path
    database_url: str = ""
    redis_url: str = ""
    llm_base_url: str = ""
    llm_model: str = ""
    setup_s: float = 0.0

    @property
    def url(self) -> str:
        """Where the page will be."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def embeds_model(self) -> bool:
        """Whether the model is ours to start."""
        return not self.llm_base_url

    @property
    def run(self) -> Path:
        """The folder for what lives as long as this `./run`."""
        return self.data / "run"

    @property
    def logs(self) -> Path:
        """The folder for what the children say."""
        return self.data / "log"

    @property
    def model_source(self) -> str:
        """Where answers come from, without a name and password that may stand in the URL."""
        if self.embeds_model or self.llm_base_url.startswith(SCRIPTED):
            return self.llm_base_url or "embedded"
        address = urllib.parse.urlsplit(self.llm_base_url)
        return address._replace(netloc=address.netloc.rpartition("@")[2]).geturl()


def read_settings(environment: Mapping[str, str]) -> Settings:
    """The settings of this process. Raises EmbeddedError with the name of the one that is wrong."""
    given = {name: value for name, value in environment.items() if value}
    workers = 1 if not given.get("LLM_BASE_URL") else min(4, len(os.sched_getaffinity(0)))
    caches = Path(given.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return Settings(
        port=_number(given, "PORT", 8000, range(1, 1 << 16)),
        workers=_number(given, "WORKERS", workers, range(MOST_WORKERS + 1)),
        data=Path(given.get("PROOFREEL_DATA") or ROOT / "var").absolute(),
        cache=Path(given.get("PROOFREEL_CACHE") or caches / "proofreel").absolute(),
        database_url=given.get("DATABASE_URL", ""),
        redis_url=given.get("REDIS_URL", ""),
        llm_base_url=_absolute_script(given.get("LLM_BASE_URL", "")),
        llm_model=given.get("LLM_MODEL", ""),
        setup_s=float(given.get("PROOFREEL_SETUP_S", "0")),
    )


def plain_environment(settings: Settings, environment: Mapping[str, str]) -> dict[str, str]:
    """What every child gets. Paths mean the folder in which `./run` was typed; ours is where the code is found."""
    kept_back = (*SECRETS, "PROOFREEL_SETUP_S")
    plain = {name: value for name, value in environment.items() if name not in kept_back and not name.startswith(LIBPQ)}
    plain |= {"PROOFREEL_DATA": str(settings.data), "PROOFREEL_CACHE": str(settings.cache), "PYTHONPATH": str(ROOT)}
    if model_file := plain.get("MODEL_FILE"):
        plain["MODEL_FILE"] = str(Path(model_file).expanduser().absolute())
    if settings.llm_base_url:
        plain["LLM_BASE_URL"] = settings.llm_base_url
    return plain


def secret_environment(environment: Mapping[str, str]) -> dict[str, str]:
    """What the web app and its workers get besides: the secrets that the person has set."""
    return {name: environment[name] for name in SECRETS if environment.get(name)}


def libpq_environment(settings: Settings, environment: Mapping[str, str]) -> dict[str, str]:
    """What libpq may hear of besides DATABASE_URL: what the person has set for that database, nothing for ours."""
    if not settings.database_url:
        return {}
    return {name: value for name, value in environment.items() if name.startswith(LIBPQ)}


def _number(given: Mapping[str, str], name: str, default: int, allowed: range) -> int:
    text = given.get(name, str(default))
    if not text.isdecimal() or int(text) not in allowed:
        raise EmbeddedError(f"{name} is {text!r}, but must be a whole number from {allowed[0]} to {allowed[-1]}.")
    return int(text)


def _absolute_script(url: str) -> str:
    if not url.startswith(SCRIPTED):
        return url
    return f"{SCRIPTED}{Path(url.removeprefix(SCRIPTED)).absolute()}"
