"""What `./run` takes from its environment."""

from pathlib import Path

import pytest

from embedded.child import EmbeddedError
from embedded.settings import ROOT, plain_environment, read_settings, secret_environment


def test_nothing_is_needed(monkeypatch):
    settings = read_settings({"HOME": "/home/alice"})
    assert (settings.port, settings.workers, settings.data) == (8000, 1, ROOT / "var")
    assert settings.url == "http://127.0.0.1:8000"
    assert settings.embeds_model
    assert settings.model_source == "embedded"


def test_an_empty_setting_is_none():
    settings = read_settings({"PORT": "", "DATABASE_URL": "", "LLM_BASE_URL": ""})
    assert (settings.port, settings.database_url, settings.embeds_model) == (8000, "", True)


def test_a_model_elsewhere_leaves_the_cores_to_more_workers():
    settings = read_settings({"LLM_BASE_URL": "http://gpu:8000/v1"})
    assert not settings.embeds_model
    assert 1 <= settings.workers <= 4
    assert read_settings({"LLM_BASE_URL": "http://gpu:8000/v1", "WORKERS": "7"}).workers == 7


@pytest.mark.parametrize("name", ["PORT", "WORKERS"])
@pytest.mark.parametrize("value", ["eighty", "-1", "1e3", "70000"])
def test_a_number_that_cannot_be_is_named(name, value):
    with pytest.raises(EmbeddedError, match=f"{name} is '{value}', but must be a whole number from"):
        read_settings({name: value})


def test_paths_mean_the_folder_in_which_it_was_typed(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    given = {
        "PROOFREEL_DATA": "data",
        "PROOFREEL_CACHE": "cache",
        "MODEL_FILE": "own.gguf",
        "LLM_BASE_URL": "scripted:script.json",
    }
    settings = read_settings(given)
    plain = plain_environment(settings, given)
    assert (settings.data, settings.cache) == (tmp_path / "data", tmp_path / "cache")
    assert plain["PROOFREEL_DATA"] == str(tmp_path / "data")
    assert plain["MODEL_FILE"] == str(tmp_path / "own.gguf")
    assert plain["LLM_BASE_URL"] == f"scripted:{tmp_path}/script.json"


def test_secrets_go_to_the_web_app_and_its_workers_only():
    given = {"SECRET_KEY": "s", "LLM_API_KEY": "k", "DATABASE_URL": "d", "REDIS_URL": "", "PATH": "/bin"}
    plain = plain_environment(read_settings(given), given)
    assert not plain.keys() & {"SECRET_KEY", "LLM_API_KEY", "DATABASE_URL", "REDIS_URL"}
    assert plain["PATH"] == "/bin"
    assert secret_environment(given) == {"SECRET_KEY": "s", "LLM_API_KEY": "k", "DATABASE_URL": "d"}


def test_a_password_in_the_models_url_is_not_told():
    settings = read_settings({"LLM_BASE_URL": "http://alice:secret@gpu:8000/v1"})
    assert settings.model_source == "http://gpu:8000/v1"


def test_the_cache_is_where_the_agent_looks_for_it(tmp_path):
    assert read_settings({"XDG_CACHE_HOME": str(tmp_path)}).cache == tmp_path / "proofreel"
    assert read_settings({"HOME": "x"}).cache == Path.home() / ".cache" / "proofreel"
