"""Who may come in: what views are wrapped in, the request they then get, and refusals that say why."""

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec, cast
from urllib.parse import urlsplit

from django.conf import settings
from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import resolve_url
from django.utils.http import url_has_allowed_host_and_scheme
from django_htmx.http import HttpResponseClientRedirect
from django_htmx.middleware import HtmxDetails

from webapp.core.models import User

P = ParamSpec("P")


class PersonRequest(HttpRequest):
    """The request of someone who is signed in, as the middleware leaves it."""

    user: User
    htmx: HtmxDetails


class NotAllowed(PermissionDenied):
    """A 403 whose message is one sentence for the person."""


class Missing(Http404):
    """A 404 whose message is one sentence for the person."""


View = Callable[Concatenate[HttpRequest, P], HttpResponseBase]
PersonView = Callable[Concatenate[PersonRequest, P], HttpResponseBase]


def signed_in(view: PersonView[P]) -> View[P]:
    """Only for people who are signed in; others come back to this page after signing in."""

    @wraps(view)
    def guarded(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
        if not request.user.is_authenticated:
            return to_sign_in(request)
        return view(cast(PersonRequest, request), *args, **kwargs)

    return guarded


def allowed(permission: str, otherwise: str) -> Callable[[PersonView[P]], View[P]]:
    """Only for people with that permission; to others the page says the sentence `otherwise`."""

    def wrap(view: PersonView[P]) -> View[P]:
        @signed_in
        @wraps(view)
        def guarded(request: PersonRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
            if not request.user.has_perm(permission):
                raise NotAllowed(otherwise)
            return view(request, *args, **kwargs)

        return guarded

    return wrap


def to_sign_in(request: HttpRequest) -> HttpResponseBase:
    """To the form for signing in, and from there back to the page that the person was looking at."""
    back = page_of(request)
    htmx: HtmxDetails = request.htmx  # type: ignore[attr-defined]
    if htmx:  # a redirect would be followed by the script and put the form into the middle of the page
        return HttpResponseClientRedirect(redirect_to_login(back, settings.LOGIN_URL).url)
    return redirect_to_login(back, settings.LOGIN_URL)


def page_of(request: HttpRequest) -> str:
    """The page that a request came from: itself when it asks for one, else where the form stood."""
    htmx: HtmxDetails = request.htmx  # type: ignore[attr-defined]
    if htmx:
        return htmx.current_url_abs_path or resolve_url(settings.LOGIN_REDIRECT_URL)
    if request.method in ("GET", "HEAD"):
        return request.get_full_path()
    referer = request.headers.get("Referer", "")
    if url_has_allowed_host_and_scheme(referer, {request.get_host()}, require_https=request.is_secure()):
        parts = urlsplit(referer)
        return f"{parts.path}?{parts.query}" if parts.query else parts.path
    return resolve_url(settings.LOGIN_REDIRECT_URL)


def safe_next(request: HttpRequest) -> str:
    """Where a person goes after signing in: `next` when it stays on this site, else the front page."""
    wanted = request.POST.get("next") or request.GET.get("next") or ""
    if url_has_allowed_host_and_scheme(wanted, {request.get_host()}, require_https=request.is_secure()):
        return wanted
    return resolve_url(settings.LOGIN_REDIRECT_URL)
