"""The command line as a person or a script meets it: exit codes, stdout, stderr, the run folder, nothing left over."""

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest
from programs import CRASHES, ENDLESS, MOVING, STILL, answer, scene

from agent.run_folder import read_run
from agent.types import Outcome, StopReason

Command = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def scratch() -> Iterator[Path]:
    """A short folder for temporary files: every child of a command works in it, so that leftovers can be told."""
    folder = Path(tempfile.mkdtemp(prefix="cmd-", dir="/tmp"))
    yield folder
    shutil.rmtree(folder)


def left_behind(scratch: Path) -> list[str]:
    """Processes that a command has left, and files in its scratch folder."""
    processes = [
        " ".join(process.info["cmdline"])
        for process in psutil.process_iter(["cmdline"])
        if str(scratch) in " ".join(process.info["cmdline"] or [])
    ]
    return processes + [path.name for path in scratch.iterdir()]


@pytest.fixture
def command(tmp_path: Path, scratch: Path) -> Command:
    def run(
        *script: object, prompt: str = "a dot moves", options: tuple[str, ...] = ()
    ) -> subprocess.CompletedProcess[str]:
        file = tmp_path / "script.json"
        file.write_text(json.dumps(script), encoding="utf-8")
        return subprocess.run(
            [sys.executable, "-m", "agent", prompt, "--model", f"scripted:{file}", "--out", tmp_path / "run", *options],
            cwd=tmp_path,
            env=os.environ | {"PYTHONPATH": str(Path(__file__).parents[2]), "TMPDIR": str(scratch)},
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )

    return run


def test_a_video_is_exit_0_and_its_path_the_last_line(command: Command, tmp_path: Path, scratch: Path) -> None:
    done = command(answer(MOVING))
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == str(tmp_path / "run" / "video.mp4")
    assert (tmp_path / "run" / "video.mp4").exists()
    assert (tmp_path / "run" / "scene.py").exists()
    assert (tmp_path / "run" / "iterations" / "0" / "scene.py").exists()
    assert "rendering the final video" in done.stderr
    assert left_behind(scratch) == []


def test_json_is_run_json_on_one_line(command: Command, tmp_path: Path) -> None:
    done = command(answer(MOVING), options=("--json", "--quality", "480p15"))
    assert done.stdout.count("\n") == 1
    assert json.loads(done.stdout) == json.loads((tmp_path / "run" / "run.json").read_text())


def test_a_best_effort_says_what_is_still_open(command: Command) -> None:
    done = command(answer(STILL), options=("--repairs", "0", "--quality", "480p15"))
    assert done.returncode == 0
    assert "Open: Nothing moves" in done.stderr


def test_a_scene_that_was_left_out_is_named(command: Command) -> None:
    two = scene("self.play(Create(Circle()), run_time=0.3)", name="Intro") + MOVING.replace("from manim import *", "")
    done = command(answer(two), options=("--quality", "480p15"))
    assert "Rendered Demo; left out: Intro." in done.stderr


@pytest.mark.parametrize(
    ("prompt", "words"),
    [
        ("", "empty"),
        ("x" * 20_000, "20,000 characters"),
        ("a circle\x07", "U+0007"),
        ("broken bytes \udcff here", "U+FFFD"),
        ("!!!", "no words"),
    ],
)
def test_a_bad_prompt_is_one_sentence_exit_1_and_a_run_json(
    command: Command, tmp_path: Path, prompt: str, words: str
) -> None:
    done = command(answer(MOVING), prompt=prompt)
    assert done.returncode == 1
    assert len(done.stderr.splitlines()) == 1
    assert words in done.stderr
    assert done.stdout == ""
    assert read_run(tmp_path / "run").stop_reason is StopReason.BAD_PROMPT


def test_a_prompt_in_another_script_is_worked_on_with_a_note(command: Command, tmp_path: Path) -> None:
    done = command(answer(MOVING), prompt="画一个圆", options=("--quality", "480p15"))
    assert done.returncode == 0
    assert "Latin, Greek and Cyrillic" in done.stderr
    assert "write the words on screen in one of those" in read_run(tmp_path / "run").calls[0].messages[1].content


@pytest.mark.parametrize(
    ("script", "words"),
    [
        ([""] * 10, "empty answer"),
        (["Sorry, no."] * 10, "no program"),
        ([answer(MOVING)[:130]] * 10, "SyntaxError"),
        ([answer(CRASHES)] * 10, "ShowCreation"),
        (["blah " * 200_000] * 10, "no program"),
        ([{"error": "The model server at http://127.0.0.1:9/v1 cannot be reached."}], "cannot be reached"),
    ],
)
def test_no_video_is_exit_1_with_the_reason(command: Command, tmp_path: Path, script: list[object], words: str) -> None:
    done = command(*script)
    assert done.returncode == 1
    assert words in done.stderr.splitlines()[-1]
    assert "Traceback" not in done.stderr
    run = read_run(tmp_path / "run")
    assert run.outcome is Outcome.FAILED
    assert run.message == done.stderr.splitlines()[-1]


def test_a_folder_that_holds_something_is_not_written_into(command: Command, tmp_path: Path) -> None:
    command(answer(MOVING), options=("--quality", "480p15"))
    before = (tmp_path / "run" / "run.json").read_bytes()
    done = command(answer(STILL))
    assert done.returncode == 2
    assert "is not empty" in done.stderr
    assert (tmp_path / "run" / "run.json").read_bytes() == before


def test_an_unknown_option_is_exit_2(command: Command) -> None:
    assert command(answer(MOVING), options=("--strategy", "magic")).returncode == 2


@pytest.mark.parametrize(
    ("model", "words"),
    [
        ("scripted:/nowhere.json", "cannot be read"),
        ("ftp://example", "not the URL of a model server"),
        ("http://[::1", "not the URL of a model server"),
        ("http://localhost:99999/v1", "not the URL of a model server"),
        ("scripted:/dev/null", "not a JSON list"),
    ],
)
def test_what_cannot_start_is_exit_3_with_one_sentence(tmp_path: Path, model: str, words: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "agent", "a circle", "--model", model, "--out", tmp_path / "run"],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 3
    assert words in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_a_server_that_is_down_is_exit_1_and_written_down(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "agent", "a circle", "--model", "http://127.0.0.1:9/v1", "--out", tmp_path / "run"],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 1
    assert "cannot be reached" in done.stderr
    assert read_run(tmp_path / "run").stop_reason is StopReason.INFRASTRUCTURE


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_ends_the_run_in_order(tmp_path: Path, scratch: Path, number: signal.Signals) -> None:
    script = tmp_path / "script.json"
    script.write_text(json.dumps([answer(ENDLESS)]))
    process = subprocess.Popen(
        [sys.executable, "-m", "agent", "a circle", "--model", f"scripted:{script}", "--out", tmp_path / "run"],
        env=os.environ | {"TMPDIR": str(scratch)},
        stderr=subprocess.PIPE,
        stdin=subprocess.DEVNULL,
        text=True,
    )
    for line in process.stderr:
        if "draft" in line:
            break
    time.sleep(1)
    assert left_behind(scratch), "the renderer works in the scratch folder, or this test sees nothing"
    process.send_signal(number)
    asked = time.monotonic()
    assert process.wait(timeout=10) == 1
    assert time.monotonic() - asked < 5
    process.stderr.close()
    assert read_run(tmp_path / "run").outcome is Outcome.CANCELED
    assert left_behind(scratch) == []


@pytest.mark.parametrize(
    ("out", "words"),
    [
        ("/proc/nope/x", "/proc/nope/x cannot be used"),
        ("/dev/null", "cannot be used"),
        ("n" * 300, "File name too long"),
    ],
)
def test_a_folder_that_cannot_be_written_is_found_before_anything_starts(tmp_path: Path, out: str, words: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "agent", "a circle", "--model", "embedded", "--out", out],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(Path(__file__).parents[2])},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 3
    assert words in done.stderr
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize(("name", "value"), [("MODEL_SIZE", "7B"), ("SANDBOX", "none")])
def test_a_setting_that_is_wrong_is_named(tmp_path: Path, name: str, value: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "agent", "a circle", "--out", tmp_path / "run"],
        env=os.environ | {name: value},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 3
    assert f"The setting {name} is '{value}'" in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_an_interrupt_before_the_run_began_ends_at_once(tmp_path: Path, scratch: Path) -> None:
    silent = socket.create_server(("127.0.0.1", 0))
    url = f"http://127.0.0.1:{silent.getsockname()[1]}/v1"
    process = subprocess.Popen(
        [sys.executable, "-m", "agent", "a circle", "--out", tmp_path / "run", "--model", url],
        env=os.environ | {"TMPDIR": str(scratch)},
        stderr=subprocess.PIPE,
        text=True,
    )
    silent.settimeout(60)
    connection, _ = silent.accept()
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=8) == 1
    assert process.stderr.read() == "Stopped before there was a video.\n"
    assert left_behind(scratch) == []
    for thing in (connection, silent, process.stderr):
        thing.close()


def test_a_reader_who_leaves_early_is_no_trouble(tmp_path: Path) -> None:
    script = tmp_path / "script.json"
    script.write_text(json.dumps([answer(MOVING)]))
    run = f"{sys.executable} -m agent 'a dot' --json --quality 480p15 --model scripted:{script} --out {tmp_path}/run"
    done = subprocess.run(["bash", "-c", f"{run} | true"], capture_output=True, text=True, timeout=60)
    assert "Traceback" not in done.stderr
    assert "BrokenPipe" not in done.stderr
