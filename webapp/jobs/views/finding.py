"""History: everything that a person asked for, to be found again."""

from django.core.paginator import Paginator
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.utils.cache import patch_vary_headers
from django.views.decorators.http import require_safe

from webapp.core.access import PersonRequest, signed_in
from webapp.jobs import words
from webapp.jobs.forms import FindForm
from webapp.jobs.models import Job

PAGE = 24


@require_safe
@signed_in
def history(request: PersonRequest) -> HttpResponseBase:
    """Own Jobs, newest first; the whole page, or only the results while somebody types."""
    form = FindForm(request.GET)
    own = Job.objects.filter(owner=request.user)
    wanted = form.cleaned_data if form.is_valid() else {"q": "", "status": ""}
    found = own.matching(wanted["q"], wanted["status"]).with_outcome().order_by("-created_at")
    page = Paginator(found, PAGE).get_page(request.GET.get("page"))
    rows = [(job, *words.tile_chip(job.status, job.outcome)) for job in page]
    context = {"form": form, "page": page, "rows": rows, "is_filtered": bool(wanted["q"] or wanted["status"])}
    is_part = request.htmx and not request.htmx.history_restore_request
    response = render(request, "jobs/history.html#results" if is_part else "jobs/history.html", context)
    patch_vary_headers(response, ("HX-Request",))
    return response
