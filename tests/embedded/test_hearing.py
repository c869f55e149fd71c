"""What a child says, its log, and the file that it leaves about itself."""

import json
import os
from pathlib import Path

import pytest
from keeping import eventually

from embedded import life
from embedded.children import Child, State
from embedded.hearing import LOG_CAP, Log, OwnFile
from embedded.life import Life


def test_a_log_that_has_grown_big_is_put_aside(tmp_path):
    path = tmp_path / "web.log"
    with path.open("wb") as big:
        big.truncate(LOG_CAP + 1)
    with Log(path).open() as log:
        log.write(b"fresh\n")
    assert path.read_text() == "fresh\n"
    assert (tmp_path / "web.log.1").stat().st_size == LOG_CAP + 1


def test_only_what_was_said_in_this_life_counts(tmp_path):
    path = tmp_path / "web.log"
    path.write_text("an error of yesterday\n")
    log = Log(path)
    log.open().close()
    assert log.tail() == ""
    log.add("one")
    log.add("two")
    assert log.tail() == "one\ntwo"


def about(pid: int, path: Path) -> str:
    """Leaves a file about that process; gives its text."""
    text = json.dumps({"pid": pid, "base_url": f"http://127.0.0.1:{pid}"})
    path.write_text(text)
    return text


@pytest.fixture
def state(tmp_path: Path) -> Path:
    """A file about a child, before the child writes it."""
    return tmp_path / "model-server.json"


@pytest.fixture
def own(state: Path) -> OwnFile:
    """The file about a child of ours that runs: this process stands for it."""
    about(os.getpid(), state)
    own = OwnFile(state)
    own.remember()
    return own


def test_a_file_about_a_child_is_put_back_for_others_to_find_and_removed_at_its_end(state, own):
    ours = state.read_text()
    state.unlink()
    own.keep()
    assert state.read_text() == ours
    assert state.stat().st_mode & 0o777 == 0o600
    own.remove()
    assert list(state.parent.iterdir()) == []


def test_a_file_that_another_has_written_since_is_left_alone_while_that_one_runs(state, own):
    theirs = about(os.getppid(), state)
    own.keep()
    own.remove()
    assert state.read_text() == theirs


def test_a_file_that_another_left_when_it_was_killed_is_replaced(state, own, zombie):
    ours = state.read_text()
    about(zombie, state)
    own.keep()
    assert state.read_text() == ours


@pytest.mark.parametrize("rubbish", ["", "half of i", "[]", '{"pid": null}'])
def test_a_file_that_says_nothing_is_replaced(state, own, rubbish):
    ours = state.read_text()
    state.write_text(rubbish)
    own.keep()
    assert state.read_text() == ours


def test_the_delay_begins_anew_after_a_good_life(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(life, "GOOD_LIFE_S", 0.5)
    short = ["bash", "-c", "echo READY; exit 1"]
    long = ["bash", "-c", "echo READY; sleep 0.6; exit 1"]
    commands = iter([short, short, long, short])
    child = Child("worker", "The worker", lambda _: next(commands), dict(os.environ))
    lived = Life(child, tmp_path, print)
    delays = []
    for _ in range(4):
        lived.start({})
        eventually(lambda: lived.look() or lived.state is State.FAILED)
        delays.append(lived.delay)
    assert delays[0:2] == [0.5, 1.0]
    assert delays[2:4] == [0.5, 1.0]
    assert lived.restarts == 3


def test_a_program_that_is_not_there_is_one_more_way_to_fail(tmp_path: Path) -> None:
    child = Child("worker", "The worker", lambda _: ["/nonexistent/program"], dict(os.environ))
    lived = Life(child, tmp_path, print)
    lived.start({})
    eventually(lambda: lived.look() or lived.state is State.FAILED)
    assert "The worker did not start" in lived.message
    assert "/nonexistent/program" in lived.message
    lived.ask_to_stop()
    assert lived.state is State.STOPPED
