"""An exception of the user's code as plain facts; the host decides what they mean."""

import re
import traceback
from typing import Any

SCENE_FILE = "scene.py"
_TEXT_CAP = 20_000
_MESSAGE_CAP = 4_000
_NAME_CAP = 200
_SYMBOL = re.compile(r"unexpected keyword argument '(\w+)'|cannot import name '(\w+)'|has no attribute '(\w+)'")


def facts(error: BaseException) -> dict[str, Any]:
    """Type, message, symbol, line of the generated file, origin and raw traceback of an exception."""
    filename = getattr(error, "filename", None)
    return {
        "type": plain(type(error).__name__),
        "bases": [plain(cls.__name__) for cls in type(error).__mro__][:20],
        "message": plain(_text(error), _MESSAGE_CAP),
        "symbol": _symbol(error),
        "line": _line(error),
        "errno": error.errno if isinstance(error, OSError) else None,
        "filename": plain(filename, 1000) if isinstance(filename, str) else None,
        "origin": plain(_origin(error), 1000),
        "traceback": plain("".join(traceback.format_exception(error))[-_TEXT_CAP:], _TEXT_CAP),
    }


def plain(text: str, cap: int = _NAME_CAP) -> str:
    """What the host accepts: neither longer than it reads nor with halves of characters that JSON cannot carry."""
    return text[:cap].encode("utf-8", "replace").decode()


def _text(error: BaseException) -> str:
    if isinstance(error, SyntaxError):
        return error.msg or ""
    try:
        return str(error)
    except Exception:  # noqa: BLE001 - the class is the user's own, and its __str__ may do anything
        return ""


def _symbol(error: BaseException) -> str | None:
    if isinstance(error, (NameError, ModuleNotFoundError)) and isinstance(error.name, str):
        return plain(error.name)
    found = _SYMBOL.search(_text(error))
    if found:
        return next(group for group in found.groups() if group)[:_NAME_CAP]
    return None


def _line(error: BaseException) -> int | None:
    if isinstance(error, SyntaxError) and error.filename == SCENE_FILE:
        return error.lineno
    lines = [line for frame, line in traceback.walk_tb(error.__traceback__) if frame.f_code.co_filename == SCENE_FILE]
    return lines[-1] if lines else None


def _origin(error: BaseException) -> str:
    frames = [frame.f_code.co_filename for frame, _ in traceback.walk_tb(error.__traceback__)]
    return frames[-1] if frames else ""
