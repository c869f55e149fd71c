"""The page of a Job: the video, how the work stands, every try; and the two things a person can do about it."""

import uuid

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_list_or_404, get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods, require_safe
from django_htmx.http import HTMX_STOP_POLLING, HttpResponseClientRefresh, HttpResponseStopPolling

from webapp.core.access import PersonRequest, signed_in
from webapp.jobs import words
from webapp.jobs.actions import submission as actions
from webapp.jobs.models import Job, Run
from webapp.jobs.watching import Seen, Watch, cursor_of, small_number, watch


@require_safe
@signed_in
def job(request: PersonRequest, job_id: uuid.UUID) -> HttpResponseBase:
    """The whole page, of the latest Run or of the one that `?run=` numbers."""
    runs = own_runs(request, job_id)
    number = small_number(request.GET.get("run", ""))
    shown = next((run for run in runs if number in (None, run.number)), None)
    if shown is None:
        raise Http404
    now = watch(shown, is_latest=shown is runs[0])
    others = [run for run in reversed(runs) if run is not shown]
    context = {
        "now": now,
        "new_cards": now.cards,
        "others": [(run, words.attempt_line(run)) for run in others],
        "earlier_video": next((run for run in reversed(others) if run.final_video), None) if now.is_latest else None,
    }
    return render(request, "jobs/job.html", context)


@require_safe
@signed_in
def progress(request: PersonRequest, job_id: uuid.UUID) -> HttpResponseBase:
    """What has changed since the browser last heard: 204 for nothing, 286 when nothing more will come."""
    run = own_runs(request, job_id, 1)[0]
    seen = Seen.by(request.GET.dict())
    if seen.cursor == cursor_of(run):
        return HttpResponse(status=204) if run.job.is_open else HttpResponseStopPolling()
    return changes(request, watch(run), seen)


@require_http_methods(["GET", "HEAD", "POST"])
@signed_in
def cancel(request: PersonRequest, job_id: uuid.UUID) -> HttpResponseBase:
    """Ask for the end of the work. The page shows it at once. An address that is only opened leads to the page."""
    if request.method != "POST":
        return redirect("jobs:job", job_id)
    actions.cancel(own_job(request, job_id))
    if request.htmx:
        return changes(request, watch(own_runs(request, job_id, 1)[0]), Seen.by(request.GET.dict()))
    return redirect("jobs:job", job_id)


@require_http_methods(["GET", "HEAD", "POST"])
@signed_in
def retry(request: PersonRequest, job_id: uuid.UUID) -> HttpResponseBase:
    """Try the same prompt again, with another seed. An address that is only opened leads to the page."""
    if request.method != "POST":
        return redirect("jobs:job", job_id)
    try:
        actions.retry(own_job(request, job_id))
    except actions.NoEndpoint as error:
        messages.error(request, str(error))
    return redirect("jobs:job", job_id)


def own_job(request: PersonRequest, job_id: uuid.UUID) -> Job:
    """A Job of the person who asks; anybody else's is not there."""
    return get_object_or_404(Job, pk=job_id, owner=request.user)


def own_runs(request: PersonRequest, job_id: uuid.UUID, most: int | None = None) -> list[Run]:
    """The Runs of such a Job, the newest first, at most so many; never none."""
    return get_list_or_404(Run.objects.of(request.user).filter(job=job_id)[:most])


def changes(request: PersonRequest, now: Watch, seen: Seen) -> HttpResponseBase:
    """The parts of the page that the browser does not show yet."""
    if seen.run and seen.run != str(now.run.number):  # another tab has started another Run
        return HttpResponseClientRefresh()
    context = {
        "now": now,
        "new_cards": now.cards[seen.cards :],
        "has_new_picture": now.picture_key != seen.picture,
        "is_part": True,
    }
    status = 200 if now.is_live or request.method == "POST" else HTMX_STOP_POLLING
    return render(request, "jobs/job.html#changes", context, status=status)
