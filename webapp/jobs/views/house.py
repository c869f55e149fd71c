"""The status page: how the house is doing, for those who look after it."""

from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.views.decorators.http import require_safe

from webapp.core.access import PersonRequest, allowed
from webapp.jobs import overview


@require_safe
@allowed("core.view_status", "Only admins see how the services are doing.")
def status(request: PersonRequest) -> HttpResponseBase:
    """Every part, the queue, and what failed lately."""
    stop_reasons, error_kinds = overview.failures()
    context = {
        "parts": overview.parts(),
        "workers": overview.workers(),
        "supervisor": overview.supervisor(),
        "queue": overview.queue(),
        "stop_reasons": stop_reasons,
        "error_kinds": error_kinds,
        "days": overview.days(),
    }
    return render(request, "jobs/status.html", context)
