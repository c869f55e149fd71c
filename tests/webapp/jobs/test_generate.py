"""`manage.py generate`: a sentence in, the folder of `python -m agent` out, through the queue."""

import json
import signal
import subprocess
from pathlib import Path

import pytest
from programs import CRASHES, MOVING, answer
from workshop import Workers, eventually

from agent.run_folder import read_run
from agent.types import Outcome
from webapp.core.actions import seed_people
from webapp.jobs.models import Job, Run, Status

pytestmark = pytest.mark.django_db(transaction=True)


def generate(workers: Workers, *arguments: str) -> "subprocess.Popen[str]":
    return workers.start("generate", "a dot moves", *arguments)


def test_a_sentence_becomes_the_folder_of_the_command_line(answers, workers: Workers, tmp_path: Path) -> None:
    seed_people()
    answers(answer(CRASHES), answer(MOVING))
    out = tmp_path / "out"
    with workers.working():
        command = generate(workers, "--out", str(out), "--quality", "480p15", "--json")
        said, _ = command.communicate(timeout=60)
    assert command.returncode == 0
    result = json.loads(said.splitlines()[-1])
    job = Job.objects.get()
    assert (result["job_id"], result["run_id"]) == (str(job.id), str(job.runs.get().id))
    assert job.owner.username == "educator"
    assert (result["outcome"], result["stop_reason"], result["iterations"]) == ("accepted", "accepted", 2)
    assert Path(result["video"]) == out / "video.mp4"
    assert (out / "video.mp4").stat().st_size > 1000
    assert 0 < result["duration_s"] < 5
    seconds = [result[name] for name in ("model_s", "render_s", "wait_s", "overhead_s")]
    assert result["wall_s"] == pytest.approx(sum(seconds), abs=0.1)
    run = read_run(out)
    assert (run.outcome, run.final_video, len(run.calls)) == (Outcome.ACCEPTED, "video.mp4", 2)
    assert (out / "scene.py").read_text() == MOVING
    assert (out / "iterations" / "0" / "scene.py").read_text() == CRASHES
    assert (out / run.iterations[1].render.video).exists()


def test_an_interrupt_cancels_the_job(answers, workers: Workers, tmp_path: Path) -> None:
    seed_people()
    answers({"content": answer(MOVING), "delay_s": 300})
    command = generate(workers, "--out", str(tmp_path / "out"))
    eventually(Run.objects.exists)
    command.send_signal(signal.SIGINT)
    assert command.wait(timeout=20) == 1
    command.stdout.close()
    assert Run.objects.get().status == Status.CANCELED
    assert read_run(tmp_path / "out").outcome is Outcome.CANCELED


@pytest.mark.parametrize(
    ("arguments", "code"), [(("a dot", "--strategy", "none"), 2), (("a dot", "--out", "/proc/1"), 2), (("   ",), 1)]
)
def test_what_cannot_be_asked_ends_with_the_exit_codes_of_the_command_line(
    answers, workers: Workers, tmp_path, monkeypatch, arguments: tuple[str, ...], code: int
) -> None:
    seed_people()
    answers(answer(MOVING))
    monkeypatch.chdir(tmp_path)
    command = workers.start("generate", *arguments)
    assert command.wait(timeout=20) == code
    command.stdout.close()
    assert not Job.objects.exists()


def test_without_people_or_a_model_it_cannot_start(workers: Workers, tmp_path: Path) -> None:
    for prepare in (lambda: None, seed_people):  # nobody; then somebody, but no model
        prepare()
        command = generate(workers, "--out", str(tmp_path / "out"))
        assert command.wait(timeout=20) == 3
        command.stdout.close()
