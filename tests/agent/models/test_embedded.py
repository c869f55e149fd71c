import os
import signal
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from agent.config import Settings
from agent.errors import CannotStart
from agent.models.embedded import running_model
from agent.models.progress import Progress
from agent.models.running import answers, read_state, run_folder, state_file, write_state


def unheard(progress: Progress) -> None:
    pass


@pytest.fixture
def settings_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[Path], Settings]:
    """Settings with that model file and a cache of their own, so that no other server is found."""
    for name in ("LLM_BASE_URL", "LLM_MODEL", "LLM_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PROOFREEL_CACHE", str(tmp_path / "cache"))

    def make(model_file: Path) -> Settings:
        monkeypatch.setenv("MODEL_FILE", str(model_file))
        return Settings()

    return make


@pytest.mark.model
def test_a_server_is_started_reused_by_the_next_and_stopped_by_the_first_only(settings_for, weights_05b):
    settings = settings_for(weights_05b)
    steps: list[str] = []
    with running_model(settings, unheard, steps.append) as first:
        server = read_state(state_file(settings.cache))
        with running_model(settings, unheard, steps.append) as second:
            assert second == first
        assert answers(server)
    assert steps == [f"Loading the model {weights_05b.stem}."]
    assert first.embedded
    assert first.model == weights_05b.stem
    assert not psutil.pid_exists(server.pid)
    assert not state_file(settings.cache).exists()


@pytest.mark.model
def test_only_the_owner_can_read_how_to_reach_it(settings_for, weights_05b):
    settings = settings_for(weights_05b)
    with running_model(settings, unheard, unheard_stage) as endpoint:
        assert run_folder(settings.cache).stat().st_mode & 0o777 == 0o700
        assert state_file(settings.cache).stat().st_mode & 0o777 == 0o600
        assert endpoint.api_key not in repr(endpoint)


def unheard_stage(sentence: str) -> None:
    pass


@pytest.mark.model
def test_a_server_that_was_killed_is_replaced(settings_for, weights_05b):
    settings = settings_for(weights_05b)
    with running_model(settings, unheard, unheard_stage) as first:
        dead = read_state(state_file(settings.cache))
        os.kill(dead.pid, signal.SIGKILL)
        with running_model(settings, unheard, unheard_stage) as second:
            assert second.base_url != first.base_url
            assert read_state(state_file(settings.cache)).pid != dead.pid
    assert not state_file(settings.cache).exists()


@pytest.mark.model
def test_a_server_of_other_weights_is_not_reused(settings_for, weights_05b):
    settings = settings_for(weights_05b)
    with running_model(settings, unheard, unheard_stage) as first:
        other = read_state(state_file(settings.cache)).model_copy(update={"sha256": "0" * 64})
        write_state(state_file(settings.cache), other)
        with running_model(settings, unheard, unheard_stage) as second:
            assert second.base_url != first.base_url


def test_weights_that_cannot_be_loaded_are_one_sentence_with_the_reason(settings_for, tmp_path):
    broken = tmp_path / "broken.gguf"
    broken.write_bytes(b"GGUF and nothing that follows")
    steps: list[str] = []
    with (
        pytest.raises(CannotStart, match=r"did not start \(.*fail.*\); see .*model-server\.log"),
        running_model(settings_for(broken), unheard, steps.append),
    ):
        pytest.fail("a broken file was served")
    assert "not the official file" in steps[0]


def test_a_model_that_was_set_is_used_without_starting_anything(monkeypatch, settings_for, tmp_path):
    monkeypatch.setenv("LLM_BASE_URL", "http://models.test/v1")
    monkeypatch.setenv("LLM_MODEL", "big")
    monkeypatch.setenv("LLM_API_KEY", "secret")
    monkeypatch.setenv("MODEL_FILE", str(tmp_path / "missing.gguf"))
    with running_model(Settings(), unheard, unheard_stage) as endpoint:
        assert (endpoint.base_url, endpoint.model, endpoint.api_key) == ("http://models.test/v1", "big", "secret")
        assert not endpoint.embedded
    assert not (tmp_path / "cache").exists()


def test_a_base_url_without_a_model_name_is_one_sentence(monkeypatch, settings_for):
    monkeypatch.setenv("LLM_BASE_URL", "http://models.test/v1")
    with pytest.raises(CannotStart, match="LLM_MODEL"), running_model(Settings(), unheard, unheard_stage):
        pytest.fail("there is no model to use")
