"""What the web app takes from its environment, read once by `webapp.settings`.

Beside the variables of the process stands `<data>/run/environment.json`, which a running `./run` writes for its owner:
it lets `manage.py` find the embedded services. Variables of the process win.
"""

import json
import os
from pathlib import Path

from pydantic import Field
from pydantic_settings import BaseSettings, InitSettingsSource, PydanticBaseSettingsSource, SettingsConfigDict

ROOT = Path(__file__).parents[1]
# What libpq reads besides DATABASE_URL: PGPORT, PGHOSTADDR, PGSERVICE, PGOPTIONS and so on.
LIBPQ = "PG"


def data_folder() -> Path:
    """The folder for everything that must outlive a process: PROOFREEL_DATA, else `var/` in the checkout."""
    return Path(os.environ.get("PROOFREEL_DATA") or ROOT / "var").absolute()


def written(data: Path) -> dict[str, str]:
    """What a `./run` on that folder has written down; empty when none runs there. Raises OSError."""
    try:
        return dict(json.loads((data / "run" / "environment.json").read_bytes()))
    except FileNotFoundError:
        return {}


class Environment(BaseSettings):
    """The settings by name. `render_socket` None means that a worker starts a renderer of its own."""

    model_config = SettingsConfigDict(frozen=True, extra="ignore", env_ignore_empty=True)

    data: Path = Field(default_factory=data_folder, validation_alias="PROOFREEL_DATA")
    database_url: str = Field(default="postgresql:///proofreel", validation_alias="DATABASE_URL")
    redis_url: str = Field(default="redis://127.0.0.1:6379/0", validation_alias="REDIS_URL")
    render_socket: Path | None = Field(default=None, validation_alias="RENDER_SOCKET")
    secret_key: str | None = Field(default=None, validation_alias="SECRET_KEY", repr=False)
    allowed_hosts: str = Field(default="", validation_alias="ALLOWED_HOSTS")
    https: bool = Field(default=False, validation_alias="HTTPS")
    boot_id: str = Field(default="", validation_alias="BOOT_ID", repr=False)

    @property
    def is_guest(self) -> bool:
        """Whether the database is kept by a running `./run` that has not started this process."""
        return not self.boot_id and self.database_url == written(self.data).get("DATABASE_URL")

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """The process first, then what a running `./run` has written down."""
        del dotenv_settings, file_secret_settings
        return init_settings, env_settings, InitSettingsSource(settings_cls, written(data_folder()))


def read_environment() -> Environment:
    """The settings of this process.

    Where a `./run` names the database, libpq hears what belongs to that one, not what the shell has set for another.
    """
    found = written(data_folder())
    if "DATABASE_URL" in found and not os.environ.get("DATABASE_URL"):
        for name in [name for name in os.environ if name.startswith(LIBPQ)]:
            del os.environ[name]
        os.environ |= {name: value for name, value in found.items() if name.startswith(LIBPQ)}
    return Environment()
