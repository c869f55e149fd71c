"""Code without end or measure: ended at its limit, with advice, and nothing left running."""

import time
import uuid
from collections.abc import Callable

import psutil
import pytest
from studio import Rendered, Studio

from agent.renderer.protocol import RenderLimits
from agent.types import ErrorKind

Construct = Callable[[str], str]
SHORT = RenderLimits(wall_s=2)


def running(marker: str) -> list[int]:
    """Processes that have the marker in their command line."""
    found = []
    for process in psutil.process_iter():
        try:
            if process.status() != psutil.STATUS_ZOMBIE and any(marker in word for word in process.cmdline()):
                found.append(process.pid)
        except psutil.Error:
            continue
    return found


@pytest.mark.parametrize("line", ["while True: pass", "import time; time.sleep(1000)"])
def test_code_without_end_is_a_timeout_with_advice(studio: Studio, construct: Construct, line: str) -> None:
    started = time.monotonic()
    made = studio(construct("print('got here', flush=True)\n" + line), SHORT)
    assert time.monotonic() - started < 15
    assert made.render.error_kind is ErrorKind.TIMEOUT
    assert "longer than 2 s" in made.render.message and "DecimalNumber" in made.render.message
    assert "got here" in made.log


def test_a_child_is_gone_after_a_timeout(studio: Studio, construct: Construct) -> None:
    marker = uuid.uuid4().hex
    child = f"import subprocess, sys\nsubprocess.run(['sh', '-c', 'sleep 1000; : {marker}'])"
    assert studio(construct(child), SHORT).render.error_kind is ErrorKind.TIMEOUT
    assert running(marker) == []


def test_a_daemon_is_gone_after_a_good_render(studio: Studio, construct: Construct) -> None:
    marker = uuid.uuid4().hex
    made = studio(
        construct(
            f"""
            import os
            if os.fork() == 0:
                os.setsid()
                if os.fork() == 0:
                    os.execvp("sh", ["sh", "-c", "sleep 1000; : {marker}"])
                os._exit(0)
            self.play(Create(Dot()), run_time=0.5)
            """
        )
    )
    assert made.render.ok, made.render.message
    assert running(marker) == []


def fork_bomb(studio: Studio, construct: Construct) -> Rendered:
    return studio(
        construct(
            """
            import os
            while True:
                try:
                    os.fork()
                except OSError as error:
                    print("refused", error.errno, flush=True)
                    os._exit(1)
            """
        ),
        SHORT,
    )


def test_a_fork_bomb_is_stopped(studio: Studio, construct: Construct) -> None:
    made = fork_bomb(studio, construct)
    assert not made.render.ok
    assert made.render.error_kind in {ErrorKind.PYTHON, ErrorKind.TIMEOUT, ErrorKind.FORBIDDEN, ErrorKind.MEMORY}
    assert studio(construct("self.add(Dot())")).render.ok


def test_too_many_processes_are_forbidden(studio: Studio, construct: Construct) -> None:
    made = studio(construct("import os, time\nwhile True:\n    if os.fork() == 0:\n        time.sleep(9)"), SHORT)
    assert made.render.error_kind is ErrorKind.FORBIDDEN and "processes" in made.render.message


@pytest.mark.parametrize(
    "line",
    [
        "kept = []\nwhile True: kept.append(bytearray(50_000_000))",
        "import os\nfor _ in range(4): os.fork()\nkept = []\nwhile True: kept.append(bytearray(9_000_000))",
    ],
)
def test_a_memory_bomb_is_a_memory_fault(studio: Studio, construct: Construct, line: str) -> None:
    made = studio(construct(line), RenderLimits(wall_s=20, memory_bytes=700 << 20))
    assert made.render.error_kind is ErrorKind.MEMORY and "fewer and smaller" in made.render.message


BIG = "with open('/tmp/big', 'wb') as file:\n    for _ in range(10_000): file.write(bytes(1_000_000))"
MANY = "for n in range(10_000):\n    open(f'/tmp/{n}', 'wb').write(bytes(1_000_000))"
EMPTY = "for n in range(10_000_000):\n    open(f'/job/{n}', 'wb').close()"
NAMELESS = """
import os
for n in range(1000):
    file = os.open(f'/tmp/{n}', os.O_CREAT | os.O_RDWR); os.unlink(f'/tmp/{n}'); os.write(file, bytes(5_000_000))
import time; time.sleep(100)
"""
MEMFD = "import os, time\nfor n in range(100): os.write(os.memfd_create('m'), bytes(5_000_000))\ntime.sleep(100)"
DEEP = """
import os
for n in range(1200): os.mkdir('d' * 200); os.chdir('d' * 200)
import time; time.sleep(100)
"""


@pytest.mark.parametrize("lines", [BIG, MANY, EMPTY, NAMELESS, MEMFD, DEEP])
def test_too_much_on_disk_is_an_output_fault(studio: Studio, construct: Construct, lines: str) -> None:
    made = studio(construct(lines), RenderLimits(wall_s=20, disk_bytes=100 << 20))
    assert made.render.error_kind is ErrorKind.OUTPUT_LIMIT and "write files" in made.render.message


def test_endless_printing_is_an_output_fault_and_keeps_the_start_of_the_log(
    studio: Studio, construct: Construct
) -> None:
    made = studio(construct("while True: print('again and again')"), RenderLimits(wall_s=20, output_bytes=100_000))
    assert made.render.error_kind is ErrorKind.OUTPUT_LIMIT and "print" in made.render.message
    assert made.log.startswith("again and again") and len(made.log) <= 100_000
