"""The key that signs sessions, where nobody has set one."""

from pathlib import Path

import pytest
from django.conf import settings

from webapp.settings import secret_key


@pytest.fixture
def unset(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if SECRET_KEY were not in the environment."""
    unset = settings.ENVIRONMENT.model_copy(update={"secret_key": None})
    monkeypatch.setattr("webapp.settings.ENVIRONMENT", unset)


def test_it_is_made_once_for_its_owner_only_and_kept(unset: None, tmp_path: Path) -> None:
    key = secret_key(tmp_path / "data")
    assert len(key) > 50
    assert secret_key(tmp_path / "data") == key
    [file] = (tmp_path / "data").iterdir()
    assert (file.name, file.stat().st_mode & 0o777) == ("secret_key", 0o600)


def test_the_setting_wins_and_nothing_is_written(tmp_path: Path) -> None:
    assert secret_key(tmp_path / "data") == settings.ENVIRONMENT.secret_key
    assert list(tmp_path.iterdir()) == []
