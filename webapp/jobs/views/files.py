"""Videos, pictures and programs, for their owner only."""

import uuid
from pathlib import PurePosixPath

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404
from django.utils.http import content_disposition_header
from django.utils.text import slugify
from django.views.decorators.http import require_safe

from webapp.core.access import Missing, PersonRequest, signed_in
from webapp.jobs.models import Iteration, Run
from webapp.jobs.ranges import file_response

CODE = "scene.py"
TYPES = {"video.mp4": "video/mp4", "still.png": "image/png", "poster.png": "image/png"}


@require_safe
@signed_in
def final_file(request: PersonRequest, run_id: uuid.UUID, name: str) -> HttpResponseBase:
    """What a Run delivered."""
    run = get_object_or_404(Run.objects.select_related("job"), pk=run_id, job__owner=request.user)
    if name == CODE:
        best = get_object_or_404(Iteration, run=run, index=run.best_iteration)
        return as_download(request, code_response(best.code), run, name)
    stored = {"video.mp4": run.final_video, "still.png": run.final_still}.get(name)
    return as_download(request, stored_response(request, stored.name if stored else "", name), run, name)


@require_safe
@signed_in
def iteration_file(request: PersonRequest, run_id: uuid.UUID, index: int, name: str) -> HttpResponseBase:
    """What one try made."""
    found = Iteration.objects.select_related("run__job")
    row = get_object_or_404(found, run_id=run_id, index=index, run__job__owner=request.user)
    if name == CODE:
        return as_download(request, code_response(row.code), row.run, name)
    stored = {"video.mp4": row.video, "still.png": row.still, "poster.png": row.poster}.get(name)
    return as_download(request, stored_response(request, stored.name if stored else "", name), row.run, name)


def stored_response(request: HttpRequest, stored_name: str | None, name: str) -> HttpResponseBase:
    """A stored file, or 404 with a sentence."""
    if not stored_name:
        raise Missing("There is no such file: nothing was drawn here.")
    try:
        return file_response(request, stored_name, TYPES[name])
    except FileNotFoundError as error:
        raise Missing("This file is gone from the server's storage. Its program is kept: try the job again.") from error


def code_response(code: str) -> HttpResponse:
    """A program as plain text."""
    return HttpResponse(code, content_type="text/plain; charset=utf-8", headers={"Cache-Control": "private, no-cache"})


def as_download(request: HttpRequest, response: HttpResponseBase, run: Run, name: str) -> HttpResponseBase:
    """With `?download`: under a name that tells what was asked for."""
    if "download" in request.GET and response.status_code < 300:
        title = slugify(run.job.text)[:50].strip("-") or "animation"
        header = content_disposition_header(True, f"{title}{PurePosixPath(name).suffix}")
        response.headers["Content-Disposition"] = header or "attachment"
    return response
