"""Whether the web server answers, for supervisors and load balancers."""

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe


@require_safe
def health(request: HttpRequest) -> HttpResponse:
    """`ok`, without asking the database."""
    del request
    return HttpResponse("ok", content_type="text/plain")
