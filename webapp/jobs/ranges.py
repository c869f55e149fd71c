"""Answering with a stored file, whole or in part: what seekable playback needs (RFC 9110, sections 13 and 14)."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath

from django.core.files import File
from django.core.files.storage import default_storage
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase

CHUNK = 64 * 1024
ONE_RANGE = re.compile(r"bytes=(\d{0,18})-(\d{0,18})", re.ASCII)


@dataclass(frozen=True)
class Part:
    """The bytes from `first` on, `length` of them."""

    first: int
    length: int


class Unsatisfiable(Exception):
    """The part that was asked for lies outside the file."""


def wanted_part(header: str, size: int) -> Part | None:
    """The one part that a Range header names; None when the whole file is the answer: no header, one that is
    malformed, or several parts, which may be ignored. Raises Unsatisfiable."""
    match = ONE_RANGE.fullmatch(header.strip())
    if not match or match.groups() == ("", ""):
        return None
    first, last = match.groups()
    if not first:
        start, end = max(0, size - int(last)), size - 1
    else:
        start, end = int(first), min(int(last), size - 1) if last else size - 1
        if last and int(last) < start:
            return None
    if start >= size or start > end:
        raise Unsatisfiable
    return Part(start, end - start + 1)


def file_response(request: HttpRequest, name: str, content_type: str) -> HttpResponseBase:
    """A file of the default storage. Its name holds a hash of its content and serves as its ETag.

    Browsers may keep it but ask each time, so that it is gone when access is. Raises FileNotFoundError.
    """
    tag = f'"{PurePosixPath(name).stem}"'
    headers = {"ETag": tag, "Accept-Ranges": "bytes", "Cache-Control": "private, no-cache"}
    stored = default_storage.open(name, "rb")
    if tag in [known.strip().removeprefix("W/") for known in request.headers.get("If-None-Match", "").split(",")]:
        stored.close()
        return HttpResponse(status=304, headers=headers)
    size = stored.size
    is_same = request.method == "GET" and request.headers.get("If-Range", tag) == tag
    asked = request.headers.get("Range", "") if is_same else ""
    try:
        part = wanted_part(asked, size)
    except Unsatisfiable:
        stored.close()
        return HttpResponse(status=416, headers=headers | {"Content-Range": f"bytes */{size}"})
    if part:
        headers["Content-Range"] = f"bytes {part.first}-{part.first + part.length - 1}/{size}"
    status, part = (206, part) if part else (200, Part(0, size))
    headers |= {"Content-Length": str(part.length), "Content-Type": content_type}
    if request.method == "HEAD":
        stored.close()
        return HttpResponse(status=status, headers=headers)
    return StreamingHttpResponse(chunks(stored, part), status=status, headers=headers)


def chunks(stored: "File[bytes]", part: Part) -> Iterator[bytes]:
    """The bytes of a part, a piece at a time; the file is closed at the end or when the reader leaves."""
    with stored:
        stored.seek(part.first)
        left = part.length
        while left > 0 and (chunk := stored.read(min(CHUNK, left))):
            left -= len(chunk)
            yield chunk
