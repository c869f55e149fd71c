"""From what the sandbox reported and how it ended to a typed fault, with one sentence that helps to repair it."""

import errno
import re
from dataclasses import dataclass
from pathlib import PurePosixPath

from agent.plain_text import clean, one_line
from agent.renderer.output import ErrorFacts, GuestReport
from agent.renderer.protocol import RenderLimits
from agent.renderer.watchdog import Ending, Why
from agent.types import ErrorKind

_TAIL_LINES = 10
_LINE_CAP = 400
_MESSAGE_CAP = 600
_KILLED, _CPU_LIMIT = 128 + 9, 128 + 24
_DENIED = {errno.EPERM, errno.EACCES, errno.EROFS}
_NETWORK = {errno.ENETUNREACH, errno.EHOSTUNREACH, errno.ECONNREFUSED, errno.EAFNOSUPPORT, errno.EADDRNOTAVAIL}
_FULL = {errno.ENOSPC, errno.EFBIG, errno.EDQUOT, errno.EMFILE}
_NETWORK_TYPES = {"gaierror", "herror", "URLError", "HTTPError", "ConnectionError", "MaxRetryError", "SSLError"}
# Where a package is installed, which an ImportError tells: nothing to repair, and a path of this machine.
_PLACE = re.compile(r" \((?:/[^()]*|unknown location)\)")
_OWN_FOLDERS = ("/job", "/tmp")  # noqa: S108 - paths inside the sandbox


@dataclass(frozen=True)
class Fault:
    """Why there is no video: the fields of a failed Render."""

    kind: ErrorKind
    message: str
    symbol: str | None = None
    line: int | None = None
    traceback_tail: str = ""


def fault(ending: Ending, report: GuestReport | None, log: str, limits: RenderLimits) -> Fault | None:
    """The fault of one sandboxed run, or None when the guest says that it rendered."""
    if ending.why is not Why.EXIT:
        return _exceeded(ending.why, log, limits)
    if report is None:
        return _died(ending, log, limits)
    if report.error is None:
        return None if report.stage == "done" else _died(ending, log, limits)
    # Once it is ready, the guest is past its own work: a report that says otherwise was written by the code.
    return _raised("render" if ending.ready and report.stage == "prepare" else report.stage, report.error)


def _exceeded(why: Why, log: str, limits: RenderLimits) -> Fault:
    kind, message = {
        Why.WALL: (
            ErrorKind.TIMEOUT,
            f"Rendering took longer than {limits.wall_s:g} s. Shorten waits and animations, use fewer objects, and use "
            "DecimalNumber with an updater instead of always_redraw(lambda: MathTex(...)).",
        ),
        Why.MEMORY: (
            ErrorKind.MEMORY,
            f"Rendering needed more than {limits.memory_bytes >> 20} MB of memory. Use fewer and smaller objects, "
            "lists and arrays.",
        ),
        Why.DISK: (
            ErrorKind.OUTPUT_LIMIT,
            f"The code wrote more than {limits.disk_bytes >> 20} MB or too many files to disk. Do not write files, and "
            "make the video shorter.",
        ),
        Why.OUTPUT: (
            ErrorKind.OUTPUT_LIMIT,
            f"The code printed more than {limits.output_bytes >> 10} kB. Remove the print calls.",
        ),
        Why.PROCESSES: (
            ErrorKind.FORBIDDEN,
            f"The code started more than {limits.processes} processes. A scene must not start processes.",
        ),
        Why.START: (ErrorKind.INFRASTRUCTURE, "The sandbox did not start in time; the machine is too busy."),
    }[why]
    return Fault(kind, message, traceback_tail=_tail(log))


def _died(ending: Ending, log: str, limits: RenderLimits) -> Fault:
    """The sandbox is gone without a usable report."""
    if not ending.ready:
        last = _tail(log).splitlines()[-1:] or ["no output"]
        return Fault(ErrorKind.INFRASTRUCTURE, f"The sandbox did not start (exit code {ending.code}): {last[0]}")
    if ending.code == _KILLED:
        return _exceeded(Why.MEMORY, log, limits)
    if ending.code == _CPU_LIMIT:
        return _exceeded(Why.WALL, log, limits)
    if ending.code > 128:
        message = f"Python crashed with signal {ending.code - 128} while running the code."
    else:
        message = (
            f"The code ended the Python process itself (exit code {ending.code}). "
            "Do not call os._exit and do not replace the process."
        )
    return Fault(ErrorKind.PYTHON, message, traceback_tail=_tail(log))


def _raised(stage: str, error: ErrorFacts) -> Fault:
    message = _PLACE.sub("", error.message) if "ImportError" in error.bases else error.message
    said = one_line(f"{error.type}: {message}" if message else error.type, _MESSAGE_CAP)
    kind, advice = _kind(stage, error)
    return Fault(
        kind,
        f"{said} ({advice})" if advice else said,
        symbol=one_line(error.symbol) if error.symbol else None,
        line=error.line,
        traceback_tail=_tail(error.traceback),
    )


def _kind(stage: str, error: ErrorFacts) -> tuple[ErrorKind, str]:
    if stage == "prepare":
        return ErrorKind.INFRASTRUCTURE, ""
    if stage == "compile" or (error.type in {"SyntaxError", "IndentationError", "TabError"} and not error.origin):
        return ErrorKind.SYNTAX, ""
    if stage == "discover":
        return ErrorKind.NO_SCENE, ""
    if "TexError" in error.bases or "converting to dvi" in error.message:
        return ErrorKind.LATEX, ""
    if "MemoryError" in error.bases:
        return ErrorKind.MEMORY, "use fewer and smaller objects, lists and arrays"
    if error.errno in _FULL:
        return ErrorKind.OUTPUT_LIMIT, "do not write files, and make the video shorter"
    if "SystemExit" in error.bases or "KeyboardInterrupt" in error.bases or error.type == "BdbQuit":
        return ErrorKind.PYTHON, "a scene must not stop or debug the program"
    forbidden = _forbidden(error)
    return (ErrorKind.FORBIDDEN, forbidden) if forbidden else (ErrorKind.PYTHON, "")


def _forbidden(error: ErrorFacts) -> str:
    """What the code tried that no scene may do, or nothing."""
    bases = set(error.bases)
    origin = PurePosixPath(error.origin)
    if bases & _NETWORK_TYPES or error.errno in _NETWORK or origin.name in {"socket.py", "ssl.py"}:
        return "a scene has no network"
    if origin.name == "subprocess.py":
        return "a scene must not start other programs"
    if error.type == "BlockingIOError" or "can't start new thread" in error.message:
        return "a scene must not start processes or many threads"
    if error.errno in _DENIED:
        return "a scene may only use Manim and files in its own folder"
    if "FileNotFoundError" in bases and _is_outside(error.filename):
        return "files outside the scene's own folder cannot be read"
    return ""


def _is_outside(filename: str | None) -> bool:
    if filename is None or not filename.startswith(("/", "~")):
        return False
    return not any(PurePosixPath(filename).is_relative_to(folder) for folder in _OWN_FOLDERS)


def _tail(text: str) -> str:
    lines = [line[:_LINE_CAP] for line in clean(text).rstrip().splitlines()]
    return "\n".join(lines[-_TAIL_LINES:])
