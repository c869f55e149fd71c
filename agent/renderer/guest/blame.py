"""An exception of the user's code as plain facts; the host decides what they mean."""

import re
import traceback
from typing import Any

SCENE_FILE = "scene.py"
_TEXT_CAP = 20_000
_MESSAGE_CAP = 4_000
_SYMBOL = re.compile(r"unexpected keyword argument '(\w+)'|cannot import name '(\w+)'|has no attribute '(\w+)'")


def facts(error: BaseException) -> dict[str, Any]:
    """Type, message, symbol, line of the generated file, origin and raw traceback of an exception."""
    filename = getattr(error, "filename", None)
    return {
        "type": type(error).__name__,
        "bases": [cls.__name__ for cls in type(error).__mro__][:20],
        "message": _text(error)[:_MESSAGE_CAP],
        "symbol": _symbol(error),
        "line": _line(error),
        "errno": error.errno if isinstance(error, OSError) else None,
        "filename": filename[:1000] if isinstance(filename, str) else None,
        "origin": _origin(error)[:1000],
        "traceback": "".join(traceback.format_exception(error))[-_TEXT_CAP:],
    }


def _text(error: BaseException) -> str:
    if isinstance(error, SyntaxError):
        return error.msg or ""
    try:
        return str(error)
    except Exception:  # noqa: BLE001 - the class is the user's own, and its __str__ may do anything
        return ""


def _symbol(error: BaseException) -> str | None:
    if isinstance(error, (NameError, ModuleNotFoundError)) and isinstance(error.name, str):
        return error.name[:200]
    found = _SYMBOL.search(_text(error))
    if found:
        return next(group for group in found.groups() if group)[:200]
    return None


def _line(error: BaseException) -> int | None:
    if isinstance(error, SyntaxError) and error.filename == SCENE_FILE:
        return error.lineno
    lines = [line for frame, line in traceback.walk_tb(error.__traceback__) if frame.f_code.co_filename == SCENE_FILE]
    return lines[-1] if lines else None


def _origin(error: BaseException) -> str:
    frames = [frame.f_code.co_filename for frame, _ in traceback.walk_tb(error.__traceback__)]
    return frames[-1] if frames else ""
