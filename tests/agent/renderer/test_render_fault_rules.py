"""What an end without a usable report means: ours before the guest was ready, the code's afterwards."""

import pytest

from agent.renderer.faults import fault
from agent.renderer.output import ErrorFacts, GuestReport
from agent.renderer.protocol import RenderLimits
from agent.renderer.watchdog import Ending, Why
from agent.types import ErrorKind

LOG = "first line\nbwrap: Can't mount proc\n"


@pytest.mark.parametrize(
    ("code", "ready", "kind", "words"),
    [
        (1, False, ErrorKind.INFRASTRUCTURE, "exit code 1): bwrap: Can't mount proc"),
        (0, False, ErrorKind.INFRASTRUCTURE, "did not start"),
        (1, True, ErrorKind.PYTHON, "exit code 1"),
        (0, True, ErrorKind.PYTHON, "os._exit"),
        (139, True, ErrorKind.PYTHON, "signal 11"),
        (137, True, ErrorKind.MEMORY, "2048 MB"),
        (152, True, ErrorKind.TIMEOUT, "longer than 120 s"),
    ],
)
def test_an_end_without_a_report(code: int, ready: bool, kind: ErrorKind, words: str) -> None:
    found = fault(Ending(Why.EXIT, code, ready, 1.0), None, LOG, RenderLimits())
    assert found is not None and found.kind is kind and words in found.message


def test_a_guest_that_cannot_import_manim_is_a_fault_of_ours() -> None:
    report = GuestReport(stage="prepare", error=ErrorFacts(type="ImportError", bases=("ImportError",), message="cairo"))
    found = fault(Ending(Why.EXIT, 0, False, 1.0), report, "", RenderLimits())
    assert found is not None and (found.kind, found.message) == (ErrorKind.INFRASTRUCTURE, "ImportError: cairo")


def test_a_sandbox_that_does_not_come_up_in_time_is_a_fault_of_ours() -> None:
    found = fault(Ending(Why.START, 137, False, 60.0), None, "", RenderLimits())
    assert found is not None and found.kind is ErrorKind.INFRASTRUCTURE


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (ErrorFacts(type="PermissionError", bases=("PermissionError", "OSError"), errno=13), ErrorKind.FORBIDDEN),
        (ErrorFacts(type="OSError", bases=("OSError",), errno=28), ErrorKind.OUTPUT_LIMIT),
        (ErrorFacts(type="MemoryError", bases=("MemoryError",)), ErrorKind.MEMORY),
        (ErrorFacts(type="ConnectTimeout", bases=("ConnectTimeout", "ConnectionError")), ErrorKind.FORBIDDEN),
        (ErrorFacts(type="RuntimeError", message="can't start new thread"), ErrorKind.FORBIDDEN),
        (ErrorFacts(type="FileNotFoundError", bases=("FileNotFoundError",), filename="/job/x"), ErrorKind.PYTHON),
        (ErrorFacts(type="FileNotFoundError", bases=("FileNotFoundError",), filename="x.png"), ErrorKind.PYTHON),
        (ErrorFacts(type="FileNotFoundError", bases=("FileNotFoundError",), filename="/home/x"), ErrorKind.FORBIDDEN),
        (ErrorFacts(type="ValueError", message="latex error converting to dvi"), ErrorKind.LATEX),
        (ErrorFacts(type="KeyError", bases=("KeyError", "LookupError"), message="1"), ErrorKind.PYTHON),
    ],
)
def test_the_kind_of_an_exception(error: ErrorFacts, kind: ErrorKind) -> None:
    found = fault(Ending(Why.EXIT, 0, True, 1.0), GuestReport(stage="render", error=error), "", RenderLimits())
    assert found is not None and found.kind is kind
