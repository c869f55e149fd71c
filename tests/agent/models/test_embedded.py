import os
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


def unheard_stage(sentence: str) -> None:
    pass


def own_state(settings: Settings) -> Path:
    """Where the server that this process started is written down."""
    return run_folder(settings.cache) / f"model-server-{os.getpid()}.json"


@pytest.mark.model
def test_a_server_is_started_for_the_block_and_stopped_after_it(settings_for, weights_05b):
    settings = settings_for(weights_05b)
    steps: list[str] = []
    with running_model(settings, unheard, steps.append) as endpoint:
        server = read_state(own_state(settings))
        assert answers(server)
        assert run_folder(settings.cache).stat().st_mode & 0o777 == 0o700
        assert own_state(settings).stat().st_mode & 0o777 == 0o600
        assert endpoint.api_key not in repr(endpoint)
    assert steps == [f"Loading the model {weights_05b.stem}."]
    assert endpoint.embedded
    assert endpoint.model == weights_05b.stem
    assert not psutil.pid_exists(server.pid)
    assert list(run_folder(settings.cache).iterdir()) == []


@pytest.mark.model
@pytest.mark.parametrize("relative", ["cache", "model", "both"])
def test_relative_paths_in_the_settings_mean_the_folder_that_we_are_in(
    settings_for, weights_05b, tmp_path, monkeypatch, relative
):
    (tmp_path / "beside.gguf").symlink_to(weights_05b)
    monkeypatch.chdir(tmp_path)
    model = Path("beside.gguf") if relative != "cache" else weights_05b
    settings = settings_for(model)
    if relative != "model":
        settings = settings.model_copy(update={"cache": Path("cache")})
    with running_model(settings, unheard, unheard_stage) as endpoint:
        assert endpoint.sha256
    assert list((tmp_path / "cache" / "run").iterdir()) == []


@pytest.mark.model
def test_a_server_that_is_kept_running_is_used_and_left_alone(settings_for, weights_05b):
    settings = settings_for(weights_05b)
    steps: list[str] = []
    with running_model(settings, unheard, unheard_stage) as first:
        kept = read_state(own_state(settings))
        write_state(state_file(settings.cache), kept)
        with running_model(settings, unheard, steps.append) as second:
            assert second == first
        assert steps == []
        assert answers(kept)


@pytest.mark.model
@pytest.mark.parametrize("change", [{"sha256": "0" * 64}, {"base_url": "http://127.0.0.1:9/v1"}, {"api_key": "other"}])
def test_a_server_that_is_not_what_is_written_down_is_not_used(settings_for, weights_05b, change):
    settings = settings_for(weights_05b)
    with running_model(settings, unheard, unheard_stage) as first:
        write_state(state_file(settings.cache), read_state(own_state(settings)).model_copy(update=change))
        with running_model(settings, unheard, unheard_stage) as second:
            assert second.base_url != first.base_url


def test_weights_that_cannot_be_loaded_are_one_sentence_with_the_reason(settings_for, tmp_path):
    broken = tmp_path / "broken.gguf"
    broken.write_bytes(b"GGUF and nothing that follows")
    steps: list[str] = []
    with (
        pytest.raises(CannotStart, match=r"did not start \(.*fail.*\); see .*model-server-\d+\.log"),
        running_model(settings_for(broken), unheard, steps.append),
    ):
        pytest.fail("a broken file was served")
    assert "not the official file" in steps[0]
