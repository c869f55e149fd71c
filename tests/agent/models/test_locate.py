import json
import os
import shutil
import signal
import socket
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from agent.config import Settings, default_cache
from agent.errors import CannotStart
from agent.models.locate import locate
from agent.models.pins import pinned_files
from agent.models.progress import Progress


def unheard(progress: Progress) -> None:
    pass


def settings_with(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, model_file: Path) -> Settings:
    monkeypatch.setenv("MODEL_FILE", str(model_file))
    monkeypatch.setenv("PROOFREEL_CACHE", str(tmp_path / "cache"))
    return Settings()


def test_a_gguf_of_ones_own_is_used_and_said_not_to_be_the_official_one(tmp_path, monkeypatch):
    own = tmp_path / "My-Model.gguf"
    own.write_bytes(b"GGUF and more")
    weights = locate(settings_with(monkeypatch, tmp_path, own), unheard)
    assert (weights.path, weights.name, weights.official) == (own, "my-model", False)
    assert "My-Model.gguf is not the official file" in weights.note
    assert weights.sha256 in weights.note


def test_a_file_that_is_no_gguf_is_refused(tmp_path, monkeypatch):
    own = tmp_path / "model.gguf"
    own.write_bytes(b"PK\x03\x04")
    with pytest.raises(CannotStart, match="is not a GGUF file"):
        locate(settings_with(monkeypatch, tmp_path, own), unheard)


@pytest.mark.parametrize("name", ["missing.gguf", "."])
def test_a_file_that_cannot_be_read_is_one_sentence(tmp_path, monkeypatch, name):
    with pytest.raises(CannotStart, match="cannot be read"):
        locate(settings_with(monkeypatch, tmp_path, tmp_path / name), unheard)


def test_a_file_that_changes_gets_another_hash(tmp_path, monkeypatch):
    own = tmp_path / "model.gguf"
    own.write_bytes(b"GGUF one")
    settings = settings_with(monkeypatch, tmp_path, own)
    before = locate(settings, unheard).sha256
    own.write_bytes(b"GGUF another")
    assert locate(settings, unheard).sha256 != before


def test_a_hash_is_not_read_again_while_size_and_time_stay(tmp_path, monkeypatch):
    own = tmp_path / "model.gguf"
    own.write_bytes(b"GGUF")
    settings = settings_with(monkeypatch, tmp_path, own)
    before = locate(settings, unheard)
    known = tmp_path / "cache" / "models" / "hashes.json"
    known.write_text(known.read_text().replace(before.sha256, "remembered"))
    assert locate(settings, unheard).sha256 == "remembered"


def test_a_damaged_note_of_hashes_costs_a_reading_and_no_more(tmp_path, monkeypatch):
    own = tmp_path / "model.gguf"
    own.write_bytes(b"GGUF")
    settings = settings_with(monkeypatch, tmp_path, own)
    before = locate(settings, unheard)
    (tmp_path / "cache" / "models" / "hashes.json").write_text("{")
    assert locate(settings, unheard) == before


@pytest.mark.model
def test_the_official_file_of_the_chosen_size_comes_from_the_cache(weights_05b):
    weights = locate(Settings(model_size="0.5B", model_file=None), unheard)
    assert weights.path == weights_05b
    assert weights.sha256 == pinned_files()["0.5B"].sha256
    assert weights.name == "qwen2.5-coder-0.5b-instruct-q4_k_m"
    assert weights.note == ""


@pytest.mark.model
def test_the_official_file_is_known_by_its_hash_wherever_it_lies(weights_05b, tmp_path, monkeypatch):
    elsewhere = tmp_path / "renamed.gguf"
    shutil.copyfile(weights_05b, elsewhere)
    assert locate(settings_with(monkeypatch, tmp_path, elsewhere), unheard).official


@pytest.mark.model
def test_the_fetch_command_prints_nothing_but_the_path(weights_05b):
    done = subprocess.run(
        [sys.executable, "-m", "agent.models.fetch", "--size", "0.5B"], capture_output=True, text=True, timeout=60
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, f"{default_cache() / 'models' / weights_05b.name}\n", "")


def test_the_fetch_command_ends_with_one_sentence_when_there_is_no_way(tmp_path):
    blocked = tmp_path / "cache"
    blocked.write_text("a file where the folder should be")
    done = subprocess.run(
        [sys.executable, "-m", "agent.models.fetch"],
        env={"PROOFREEL_CACHE": str(blocked)},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 3
    assert done.stdout == ""
    assert done.stderr.count("\n") == 1
    assert "MODEL_FILE=" in done.stderr


def locate_command(**settings: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "agent.models.locate"],
        env=os.environ | settings,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_the_command_says_all_about_the_file_on_one_line(tmp_path):
    own = tmp_path / "My-Model.gguf"
    own.write_bytes(b"GGUF and more")
    command = locate_command(MODEL_FILE=str(own), PROOFREEL_CACHE=str(tmp_path / "cache"))
    said, progress = command.communicate(timeout=60)
    found = json.loads(said)
    assert (command.returncode, progress) == (0, "")
    assert (found["path"], found["name"], found["official"]) == (str(own), "my-model", False)
    assert len(found["sha256"]) == 64
    assert "is not the official file" in found["note"]


def test_the_command_ends_with_one_sentence_when_there_is_no_model(tmp_path):
    command = locate_command(MODEL_FILE=str(tmp_path / "none.gguf"), PROOFREEL_CACHE=str(tmp_path / "cache"))
    said, sentence = command.communicate(timeout=60)
    assert (command.returncode, said) == (3, "")
    assert sentence == f"MODEL_FILE={tmp_path}/none.gguf cannot be read: No such file or directory.\n"


def test_the_command_that_is_told_to_stop_leaves_no_download_behind(tmp_path):
    with socket.socket() as registry:  # it takes connections and never answers
        registry.bind(("127.0.0.1", 0))
        registry.listen()
        index = f"http://127.0.0.1:{registry.getsockname()[1]}/simple"
        command = locate_command(
            MODEL_FILE="", PROOFREEL_CACHE=str(tmp_path), PIP_INDEX_URL=index, PIP_CONFIG_FILE="/dev/null"
        )
        assert command.stderr.readline().startswith("model: part 1 of")
        registry.accept()
        downloads = psutil.Process(command.pid).children()
        command.send_signal(signal.SIGTERM)
        command.communicate(timeout=60)
    assert command.returncode == 130
    assert downloads
    assert not any(process.is_running() for process in downloads)
