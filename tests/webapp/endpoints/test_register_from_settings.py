"""The Endpoint that the settings name becomes the default."""

from pathlib import Path

import pytest

from agent.config import Settings
from webapp.endpoints.actions import register_from_settings
from webapp.endpoints.models import Endpoint

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def no_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    """Settings of whoever runs the tests say nothing here."""
    for name in ("LLM_BASE_URL", "LLM_MODEL", "LLM_API_KEY"):
        monkeypatch.delenv(name, raising=False)


def test_without_a_url_it_is_the_embedded_model() -> None:
    endpoint = register_from_settings(Settings())
    assert (endpoint.name, endpoint.kind, endpoint.is_default) == ("embedded", "embedded", True)


def test_a_url_is_a_remote_one_whose_key_stays_in_the_environment() -> None:
    endpoint = register_from_settings(
        Settings(llm_base_url="http://gpu:8000/v1", llm_model="coder", llm_api_key="secret")
    )
    assert (endpoint.kind, endpoint.base_url, endpoint.model) == ("remote", "http://gpu:8000/v1", "coder")
    assert endpoint.key_setting == "LLM_API_KEY"
    assert "secret" not in str(Endpoint.objects.values().get())


def test_a_script_is_found_from_every_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    endpoint = register_from_settings(Settings(llm_base_url="scripted:answers.json"))
    assert (endpoint.kind, endpoint.script) == ("scripted", str(tmp_path / "answers.json"))


def test_registering_twice_changes_nothing() -> None:
    settings = Settings(llm_base_url="http://gpu:8000/v1")
    assert register_from_settings(settings) == register_from_settings(settings)
    assert Endpoint.objects.count() == 1


def test_the_newest_settings_decide_and_the_earlier_endpoint_stays_for_its_runs() -> None:
    embedded = register_from_settings(Settings())
    remote = register_from_settings(Settings(llm_base_url="http://gpu:8000/v1", llm_model="coder"))
    assert Endpoint.objects.get(is_default=True) == remote
    assert register_from_settings(Settings()) == embedded
    assert Endpoint.objects.get(is_default=True) == embedded
    assert Endpoint.objects.count() == 2


def test_another_model_behind_the_same_url_is_another_endpoint() -> None:
    one = register_from_settings(Settings(llm_base_url="http://gpu:8000/v1", llm_model="small"))
    other = register_from_settings(Settings(llm_base_url="http://gpu:8000/v1", llm_model="large"))
    assert one != other
