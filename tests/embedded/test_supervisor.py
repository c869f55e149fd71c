"""The supervisor over small real programs: order, back-off, the ways to stop, and what is left afterwards."""

import os
import signal
import time

from keeping import eventually, is_alive

SERVE = "echo READY; exec sleep 600"
DEAF = "trap '' TERM; echo READY; while true; do sleep 0.1; done"
LEAVES_A_MARK = "trap 'echo %s >>$HERE/order; exit 0' TERM; echo READY; while true; do sleep 0.05; done"
SECOND_TIME = "[ -e $HERE/%s ] && exec sleep 600; touch $HERE/%s; exit 1"


def row(name: str, program: str = SERVE, **options: object) -> dict[str, object]:
    return {"name": name, "program": program, **options}


def test_a_child_starts_when_what_it_needs_is_ready(keep):
    kept = keep(row("page", needs=["store"]), row("store", f"sleep 0.3; {SERVE}"))
    kept.last("page", "ready")
    changes = [(line["name"], line["state"]) for line in kept.said]
    assert changes.index(("store", "ready")) < changes.index(("page", "starting"))


def test_children_that_do_not_need_each_other_start_beside_each_other(keep):
    kept = keep(row("one", "sleep 600"), row("two", "sleep 600"))
    kept.last("two", "starting")
    assert kept.states("one") == ["starting"]


def test_what_ends_by_itself_is_done_and_lets_the_others_start(keep):
    kept = keep(row("tables", "echo '{}'", once=True), row("page", needs=["tables"]))
    kept.last("page", "ready")
    assert kept.states("tables") == ["starting", "done"]


def test_a_child_that_dies_is_started_again_later_and_later(keep):
    kept = keep(row("worker", "echo READY; echo 'out of luck' >&2; sleep 0.05; exit 7"))
    eventually(lambda: kept.states("worker").count("failed") == 3)
    failures = [line for line in kept.said if line["state"] == "failed"]
    assert [line["delay"] for line in failures] == [0.5, 1.0, 2.0]
    assert failures[0]["message"] == "The worker ended (exit code 7): out of luck"


def test_a_child_that_was_killed_is_started_again_and_what_needs_it_keeps_running(keep):
    kept = keep(row("store"), row("page", needs=["store"]))
    page, store = kept.last("page", "ready")["pid"], kept.last("store", "ready")["pid"]
    os.kill(store, signal.SIGKILL)
    assert "killed by SIGKILL" in kept.last("store", "failed")["message"]
    eventually(lambda: kept.states("store").count("ready") == 2)
    assert kept.last("store", "ready")["pid"] != store
    assert kept.states("page") == ["starting", "ready"]
    assert is_alive(page)


def test_what_a_dead_child_had_started_is_gone_before_it_starts_again(keep):
    kept = keep(row("worker", "setsid -f true; sleep 600 & echo $! >$HERE/grandchild; echo READY; wait"))
    worker = kept.last("worker", "ready")["pid"]
    grandchild = int((kept.folder / "grandchild").read_text())
    os.kill(worker, signal.SIGKILL)
    kept.last("worker", "failed")
    assert not is_alive(grandchild)


def test_the_children_stop_each_before_what_it_needs(keep):
    kept = keep(
        row("store", LEAVES_A_MARK % "store"),
        row("page", LEAVES_A_MARK % "page", needs=["store"]),
        row("worker", LEAVES_A_MARK % "worker", needs=["page"]),
    )
    kept.last("worker", "ready")
    assert kept.stop() == 0
    assert (kept.folder / "order").read_text().split() == ["worker", "page", "store"]
    assert kept.said[-1]["stopped"] is True


def test_a_child_may_be_stopped_by_a_signal_of_its_own(keep):
    kept = keep(row("store", "trap 'touch $HERE/heard; exit 0' INT; echo READY; while true; do sleep 0.05; done",
                    first_signal="SIGINT"))  # fmt: skip
    kept.last("store", "ready")
    kept.stop()
    assert (kept.folder / "heard").exists()


def test_a_child_that_does_not_listen_is_killed_after_its_time(keep):
    kept = keep(row("worker", DEAF, stop_s=0.3))
    worker = kept.last("worker", "ready")["pid"]
    assert kept.stop() == 0
    assert kept.last("worker", "stopped")["message"] == "The worker did not stop within 0.3 s and was killed."
    assert not is_alive(worker)


def test_a_second_interrupt_kills_at_once(keep):
    kept = keep(row("store", DEAF, stop_s=600), row("worker", DEAF, stop_s=600, needs=["store"]))
    kept.last("worker", "ready")
    kept.interrupt()
    kept.last("worker", "stopping")
    assert kept.process.poll() is None
    kept.interrupt()
    assert kept.process.wait(30) == 0
    assert kept.said[-1]["stopped"] is False
    assert not any(is_alive(pid) for pid in kept.pids())


def test_an_interrupt_while_children_start_stops_them_too(keep):
    kept = keep(row("store", "sleep 600"), row("page", needs=["store"]))
    kept.last("store", "starting")
    assert kept.stop() == 0
    assert not any(is_alive(pid) for pid in kept.pids())
    assert kept.states("page") == ["stopped"]


def test_no_child_outlives_a_supervisor_that_is_killed(keep):
    kept = keep(row("store"), row("page", needs=["store"]))
    kept.last("page", "ready")
    kept.process.kill()
    kept.process.wait()
    assert len(kept.pids()) == 2
    eventually(lambda: not any(is_alive(pid) for pid in kept.pids()))


def test_a_vital_child_that_says_it_cannot_start_ends_everything_with_its_sentence(keep):
    kept = keep(row("renderer"), row("store", "sleep 0.3; echo 'The disk is full.' >&2; exit 3", vital=True))
    assert kept.process.wait(30) == 3
    assert kept.said[-1]["fatal"] == "The disk is full."
    assert kept.states("store").count("starting") == 1
    assert not any(is_alive(pid) for pid in kept.pids())


def test_a_vital_child_may_fail_once_by_chance(keep):
    kept = keep(row("store", SECOND_TIME % ("been", "been") + "; exit 1", vital=True, patience_s=600))
    eventually(lambda: kept.states("store").count("starting") == 2)
    time.sleep(0.3)
    assert kept.process.poll() is None


def test_a_child_that_is_not_vital_and_cannot_start_is_tried_again_while_the_rest_runs(keep):
    kept = keep(row("page"), row("model", "echo 'There is no network.' >&2; exit 3"), row("worker", needs=["model"]))
    eventually(lambda: kept.states("model").count("failed") == 2)
    assert kept.last("model", "failed")["message"] == "There is no network."
    assert kept.states("page") == ["starting", "ready"]
    assert kept.states("worker") == []


def test_a_child_that_is_never_ready_is_given_up_and_started_again(keep):
    kept = keep(row("model", "echo 'still loading' >&2; sleep 600", patience_s=0.3))
    first = kept.last("model", "starting")["pid"]
    assert kept.last("model", "failed")["message"] == "The model was not ready within 0.3 s: still loading"
    assert not is_alive(first)


def test_the_first_line_of_stdout_is_kept_from_the_log_and_the_rest_is_in_it(keep):
    kept = keep(row("tables", "echo 'secret link'; echo 'more words'; echo 'a warning' >&2; sleep 600"))
    kept.last("tables", "ready")
    log = kept.folder / "tables.log"
    eventually(lambda: "more words" in log.read_text())
    assert sorted(log.read_text().splitlines()) == ["a warning", "more words"]


def test_progress_is_shown_as_it_comes_and_the_sentence_after_it_is_the_reason(keep):
    kept = keep(
        row("weights", r"printf 'part 1\rpart 2\n' >&2; echo 'no network' >&2; exit 3", once=True, shows="part")
    )
    assert kept.last("weights", "failed")["message"] == "no network"
    assert [line["shown"] for line in kept.said if "shown" in line][:2] == ["part 1", "part 2"]
