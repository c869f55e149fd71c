"""Real workers: what happens to Runs when they are canceled, and when workers, Postgres or Valkey die."""

import signal
import time
from datetime import timedelta

import psutil
import pytest
from django.db import connection
from django.utils import timezone
from programs import BLANK, ENDLESS, MOVING, answer, scene
from stores import ValkeyServer
from throwaway import Throwaway
from workshop import Workers, ask, ask_for, end, eventually, horses, job_of, kill_with_horses, stage, status

from agent.types import Prompt, Quality
from webapp.jobs.actions.reconciliation import reconcile
from webapp.jobs.actions.submission import cancel
from webapp.jobs.management.commands.reconcile import slept_longer
from webapp.jobs.models import Run, Status, Worker
from webapp.jobs.queue import entry_id

pytestmark = pytest.mark.django_db(transaction=True)

SLOW = {"content": answer(MOVING), "delay_s": 300}
PROMPTLY_S = 5


def test_a_worker_takes_what_is_asked_and_leaves_nothing_in_valkey(alice, answers, workers: Workers, queue) -> None:
    answers(answer(MOVING))
    with workers.working() as worker:
        row = Worker.objects.get()
        assert (row.sandbox_mode, row.tex_backend) == (workers.renderer.about().sandbox_mode, "mathjax")
        run = ask(alice)
        eventually(lambda: status(run) == Status.FINISHED)
        eventually(lambda: not horses(worker))
    run.refresh_from_db()
    assert (run.outcome, run.worker, job_of(run).status) == ("accepted", row.name, Status.FINISHED)
    assert run.final_video.size > 1000
    assert queue.connection.keys("rq:job:*") == []
    assert not Worker.objects.exists()
    assert list((workers.data / "work").iterdir()) == []


def test_two_workers_do_everything_once(alice, answers, workers: Workers) -> None:
    answers("no program")
    runs = [ask(alice, f"circle number {number}", repairs=0) for number in range(6)]
    first, second = workers.start("work", "--burst"), workers.start("work", "--burst")
    reconcile()  # while they work
    for worker in (first, second):
        assert worker.wait(timeout=60) == 0
        worker.stdout.close()
    for run in runs:
        run.refresh_from_db()
        assert (run.stop_reason, run.starts, run.calls.count(), run.iterations.count()) == ("step_limit", 1, 1, 1)


@pytest.mark.parametrize(
    ("said", "where"), [(SLOW, "writing"), (answer(ENDLESS), "drafting")], ids=["mid-stream", "mid-render"]
)
def test_a_cancel_is_heard_promptly_and_the_worker_goes_on(alice, answers, workers: Workers, said, where) -> None:
    answers(said)
    with workers.working():
        run = ask(alice)
        eventually(lambda: stage(run) == where)
        time.sleep(0.5)  # well into it
        cancel(run.job)
        assert eventually(lambda: status(run) == Status.CANCELED) < PROMPTLY_S
        run.refresh_from_db()
        assert (run.outcome, run.stop_reason, run.stage, run.lease) == ("canceled", "canceled", "done", None)
        answers("nothing")
        another = ask(alice)
        eventually(lambda: status(another) == Status.FAILED)


def test_a_worker_that_is_told_to_end_gives_its_run_back_at_once_with_its_iterations(
    alice, answers, workers: Workers, queue
) -> None:
    answers(answer(BLANK), SLOW)
    with workers.working() as worker:
        run = ask(alice)
        eventually(lambda: run.iterations.exists() and stage(run) == "writing")
        started = time.monotonic()
        assert end(worker) == 0
        assert time.monotonic() - started < PROMPTLY_S
    run.refresh_from_db()
    assert (run.status, run.outcome, run.lease, run.iterations.count()) == (Status.QUEUED, "", None, 1)
    assert queue.job_ids == [entry_id(run.id, 1)]
    answers(answer(BLANK), answer(MOVING))
    workers.burst(RENDER_SOCKET="")  # with a renderer of its own
    run.refresh_from_db()
    assert (run.outcome, run.starts, run.calls.count(), run.iterations.count()) == ("accepted", 2, 2, 2)


LONG = scene("self.play(Create(Circle()), run_time=0.3)", "if config.pixel_height > 480:", "    self.wait(8)")
LARGE = Prompt(text="a circle", quality=Quality.P720_30)


def test_a_worker_that_is_told_to_end_in_the_final_render_leaves_it_to_another(
    alice, answers, workers: Workers
) -> None:
    answers(answer(LONG))
    with workers.working() as worker:
        run = ask_for(alice, LARGE)
        eventually(lambda: stage(run) == "finishing")
        time.sleep(1)
        assert end(worker) == 0
    run.refresh_from_db()
    assert (run.status, run.outcome) == (Status.QUEUED, "")
    workers.burst()
    run.refresh_from_db()
    assert (run.outcome, run.starts, run.calls.count(), run.iterations.count()) == ("accepted", 2, 1, 1)
    assert run.final_render["video"] == "final/video.mp4"


def test_a_cancel_in_the_final_render_is_a_cancel(alice, answers, workers: Workers) -> None:
    answers(answer(LONG))
    with workers.working():
        run = ask_for(alice, LARGE)
        eventually(lambda: stage(run) == "finishing")
        time.sleep(1)
        cancel(run.job)
        assert eventually(lambda: status(run) == Status.CANCELED) < PROMPTLY_S
    run.refresh_from_db()
    assert (run.outcome, bool(run.final_video)) == ("canceled", True)


def test_a_run_whose_worker_was_killed_mid_render_goes_on_with_what_was_recorded(
    alice, answers, workers: Workers
) -> None:
    answers(answer(BLANK), answer(ENDLESS), answer(MOVING))
    with workers.working() as worker:
        run = ask(alice)
        eventually(lambda: run.calls.count() == 2 and stage(run) == "drafting")
        kill_with_horses(worker)
    Run.objects.update(heartbeat_at=timezone.now() - timedelta(seconds=2))
    assert reconcile(lease_s=1).expired == 1
    first = run.iterations.get()
    workers.burst()
    run.refresh_from_db()
    assert (run.outcome, run.starts, run.crashes) == ("accepted", 2, 1)
    assert [call.index for call in run.calls.all()] == [0, 1, 2]
    assert [iteration.code for iteration in run.iterations.all()] == [BLANK, MOVING]
    assert run.iterations.first() == first
    assert list((workers.data / "work").iterdir()) == [], "the folder of the killed worker is gone as well"


def test_a_work_horse_does_not_outlive_its_worker(alice, answers, workers: Workers) -> None:
    answers(SLOW)
    with workers.working() as worker:
        run = ask(alice)
        eventually(lambda: stage(run) == "writing")
        [horse] = horses(worker)
        psutil.Process(worker.pid).send_signal(signal.SIGKILL)
        eventually(lambda: not horse.is_running() or horse.status() == psutil.STATUS_ZOMBIE, within_s=PROMPTLY_S)
    assert status(run) == Status.QUEUED, "it gave the run back"


def test_a_job_in_hand_outlives_a_restart_of_valkey_and_ends_once(
    alice, answers, workers: Workers, services: Throwaway
) -> None:
    answers({"content": "no program", "delay_s": 2})
    with workers.working():
        runs = [ask(alice, repairs=0), ask(alice, repairs=0)]
        eventually(lambda: stage(runs[0]) == "writing")
        restart(services.valkey)
        eventually(lambda: status(runs[0]) == Status.FAILED)
        reconcile()  # the other was waiting in a Valkey that has lost everything
        eventually(lambda: status(runs[1]) == Status.FAILED)
        restart(services.valkey)
        runs.append(ask(alice, repairs=0))
        eventually(lambda: status(runs[2]) == Status.FAILED)
    for run in runs:
        run.refresh_from_db()
        assert (run.stop_reason, run.starts, run.crashes, run.calls.count()) == ("step_limit", 1, 0, 1)


def restart(valkey: ValkeyServer) -> None:
    """What was in it is lost: that of the tests writes nothing to the disk."""
    valkey.stop()
    valkey.start()


def test_a_worker_whose_valkey_does_not_come_back_ends_its_run_and_then_itself(
    alice, answers, workers: Workers, services: Throwaway
) -> None:
    answers({"content": "no program", "delay_s": 1})
    with workers.working() as worker:
        run = ask(alice, repairs=0)
        eventually(lambda: stage(run) == "writing")
        services.valkey.stop()
        try:
            eventually(lambda: status(run) == Status.FAILED)
            assert worker.wait(timeout=20) == 1
        finally:
            services.valkey.start()
    run.refresh_from_db()
    assert (run.stop_reason, run.starts, run.calls.count()) == ("step_limit", 1, 1)


def test_a_job_in_hand_outlives_lost_connections_to_postgres(alice, answers, workers: Workers) -> None:
    answers({"content": "no program", "delay_s": 2})
    with workers.working():
        run = ask(alice, repairs=0)
        eventually(lambda: stage(run) == "writing")
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity "
                "WHERE datname = current_database() AND pid <> pg_backend_pid()"
            )
            assert cursor.fetchone()[0] >= 1
        eventually(lambda: status(run) == Status.FAILED)
    run.refresh_from_db()
    assert (run.stop_reason, run.starts, run.calls.count(), run.iterations.count()) == ("step_limit", 1, 1, 1)


@pytest.mark.parametrize(("leap_s", "is_noticed"), [(3600, True), (-3600, False), (0, False)])
def test_a_machine_that_slept_is_noticed(monkeypatch: pytest.MonkeyPatch, leap_s: float, is_noticed: bool) -> None:
    readings = iter([1_000_000.0, 1_000_000.0 + leap_s])
    monkeypatch.setattr(time, "time", lambda: next(readings))
    assert slept_longer(0.01) is is_noticed


def test_the_reconciler_goes_on_until_it_is_ended(alice, answers, workers: Workers, queue) -> None:
    answers("nothing")
    reconciler = workers.start("reconcile", "--every", "0.2")
    assert reconciler.stdout.readline() == "READY\n"
    run = ask(alice)
    queue.connection.flushdb()
    eventually(lambda: queue.job_ids == [entry_id(run.id, 0)])
    end(reconciler)


@pytest.mark.parametrize("missing", ["REDIS_URL", "DATABASE_URL"])
def test_a_worker_without_its_services_says_so_in_one_sentence(workers: Workers, tmp_path, missing: str) -> None:
    urls = {"REDIS_URL": f"unix://{tmp_path}/nobody.sock", "DATABASE_URL": f"postgresql:///x?host={tmp_path}"}
    worker = workers.start("work", **{missing: urls[missing]})
    assert worker.wait(timeout=30) == 1
    worker.stdout.close()
