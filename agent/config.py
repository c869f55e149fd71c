"""What can be set: `Settings` from the environment (read once by a process edge), `AgentConfig` for one Run."""

import hashlib
import os
from pathlib import Path
from typing import Literal

from pydantic import Field, ValidationError
from pydantic_settings import BaseSettings, SettingsConfigDict

from agent.errors import CannotStart
from agent.renderer.protocol import RenderLimits
from agent.types import Record, StrategyName


def default_cache() -> Path:
    """The folder for weights and shared caches: `${XDG_CACHE_HOME:-~/.cache}/proofreel`."""
    root = os.environ.get("XDG_CACHE_HOME")
    return (Path(root) if root else Path.home() / ".cache") / "proofreel"


class Settings(BaseSettings):
    """The environment, by the names that the README lists. Read it once and hand it on."""

    model_config = SettingsConfigDict(frozen=True, extra="ignore", env_ignore_empty=True)

    llm_base_url: str | None = None
    llm_model: str | None = None
    llm_api_key: str | None = None
    model_file: Path | None = None
    model_size: Literal["1.5B", "0.5B"] = "1.5B"
    sandbox: Literal["auto", "bwrap-root", "bwrap-user"] = "auto"
    cache: Path = Field(default_factory=default_cache, validation_alias="PROOFREEL_CACHE")


def read_settings() -> Settings:
    """The settings of this process. Raises CannotStart with the name of the one that is wrong."""
    try:
        return Settings()
    except ValidationError as error:
        first = error.errors()[0]
        name = "_".join(str(part) for part in first["loc"]).upper()
        raise CannotStart(f"The setting {name} is {first['input']!r}, but: {first['msg']}.") from error


class Limits(Record):
    """What one Run may use. Wall time leaves out waiting for a processor; None means no limit."""

    wall_s: float = 600.0
    tokens: int | None = None
    cost: float | None = None


class AgentConfig(Record):
    """How one Run works. The defaults are the product's; benchmarks write theirs down beside every number.

    `repairs` is K of the paper: further rounds after the first answer. `candidates` bounds how many completions
    a repair of `full` may draw, `examples` how many retrieved examples its prompts hold. `repeatable` keeps answers
    from depending on earlier calls, at the price of speed: benchmarks set it.
    """

    strategy: StrategyName = StrategyName.FULL
    seed: int = 0
    repairs: int = Field(default=3, ge=0, le=10)
    max_tokens: int = Field(default=1200, ge=1)
    limits: Limits = Limits()
    render_limits: RenderLimits = RenderLimits()
    examples: int = Field(default=2, ge=0)
    candidates: int = Field(default=3, ge=1)
    repair_temperature: float = 0.6
    repeatable: bool = False

    def digest(self) -> str:
        """A short hash of every switch but the seed: part of the key of a measured cell."""
        text = self.model_dump_json(exclude={"seed"})
        return hashlib.sha256(text.encode()).hexdigest()[:12]
