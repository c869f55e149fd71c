import contextlib
import multiprocessing
import os
import signal
import time
from multiprocessing.connection import Connection
from pathlib import Path

import pytest

from agent.errors import Canceled
from agent.models.cores import Cores, FreeCores

SPAWN = multiprocessing.get_context("spawn")


def never() -> bool:
    return False


def hold_until_told(lock_file: Path, line: Connection) -> None:
    with Cores(lock_file).hold(never):
        line.send("holding")
        with contextlib.suppress(EOFError):
            line.recv()


def take_again_and_again(lock_file: Path, line: Connection) -> None:
    cores = Cores(lock_file)
    line.send("starting")
    while not line.poll():
        with cores.hold(never):
            time.sleep(0.2)


@pytest.fixture
def lock_file(tmp_path: Path) -> Path:
    return tmp_path / "cache" / "cores.lock"


@pytest.fixture
def other(lock_file, request):
    """Another process that holds the cores until it hears a word on the line."""
    line, far_end = SPAWN.Pipe()
    process = SPAWN.Process(target=getattr(request, "param", hold_until_told), args=(lock_file, far_end))
    process.start()
    far_end.close()
    assert line.poll(30)
    line.recv()
    yield process, line
    line.close()
    process.join(timeout=30)
    assert not process.is_alive()


def test_free_cores_are_had_at_once(lock_file):
    with Cores(lock_file).hold(never) as waited:
        assert waited < 0.05


def test_cores_held_by_another_process_are_waited_for_and_the_seconds_are_told(lock_file, other):
    _, line = other
    started, told = time.monotonic(), []

    def let_go_after_a_while() -> bool:
        if time.monotonic() - started > 0.3 and not told:
            told.append(True)
            line.send("let go")
        return False

    with Cores(lock_file).hold(let_go_after_a_while) as waited:
        assert 0.3 <= waited < 5


def test_waiting_is_canceled_when_the_person_no_longer_wants_it(lock_file, other):
    started = time.monotonic()
    with (
        pytest.raises(Canceled),
        Cores(lock_file).hold(lambda: time.monotonic() - started > 0.2),
    ):
        pytest.fail("the other process still holds the cores")
    assert time.monotonic() - started < 1


def test_after_a_cancel_nobody_is_kept_out(lock_file, other):
    process, line = other
    with pytest.raises(Canceled), Cores(lock_file).hold(lambda: True):
        pass
    line.send("let go")
    process.join(timeout=30)
    with Cores(lock_file).hold(never):
        pass


def test_a_holder_that_is_killed_lets_go(lock_file, other):
    process, _ = other
    os.kill(process.pid, signal.SIGKILL)
    with Cores(lock_file).hold(never) as waited:
        assert waited < 5


@pytest.mark.parametrize("other", [take_again_and_again], indirect=True)
def test_a_loop_that_takes_the_cores_again_and_again_lets_a_waiter_in(lock_file, other):
    for _ in range(3):
        with Cores(lock_file).hold(never) as waited:
            assert waited < 1


def test_a_child_forked_meanwhile_does_not_keep_the_cores(lock_file):
    with Cores(lock_file).hold(never):
        child = os.fork()
        if child == 0:
            time.sleep(30)
            os._exit(0)
    try:
        with Cores(lock_file).hold(never) as waited:
            assert waited < 1
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)


def test_an_error_inside_lets_go(lock_file):
    with pytest.raises(ZeroDivisionError), Cores(lock_file).hold(never):
        raise ZeroDivisionError
    with Cores(lock_file).hold(never) as waited:
        assert waited < 0.05


def test_a_model_elsewhere_never_waits():
    with FreeCores().hold(lambda: True) as outer, FreeCores().hold(lambda: True) as inner:
        assert (outer, inner) == (0.0, 0.0)
