"""Coming in by password or by link, leaving, and a new password."""

from django.contrib import messages
from django.contrib.auth import login, logout, update_session_auth_hash
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_safe

from webapp.core import actions
from webapp.core.access import PersonRequest, safe_next, signed_in
from webapp.core.forms import SignInForm, password_form

# Django wants to know which of its ways of signing in vouches for a person who brought no password.
BACKEND = "django.contrib.auth.backends.ModelBackend"
USED_LINK = (
    "This link has been used or is no longer valid. Sign in with your name and password; "
    "without a password, start ./run again: it prints new links."
)


@sensitive_post_parameters("password")
@require_http_methods(["GET", "HEAD", "POST"])
def sign_in(request: HttpRequest) -> HttpResponseBase:
    """The form, and back to where the person wanted to go."""
    if request.method != "POST" and request.user.is_authenticated:
        return redirect(safe_next(request))
    form = SignInForm(request, request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        login(request, form.get_user())
        return redirect(safe_next(request))
    return render(request, "core/sign_in.html", {"form": form, "next": safe_next(request)})


@never_cache
@require_safe
def sign_in_by_link(request: HttpRequest, token: str) -> HttpResponseBase:
    """Signs in once. Looking at the link without opening it (HEAD, a browser that loads ahead) does not use it up."""
    if request.method == "HEAD" or loads_ahead(request):
        return HttpResponse(status=204)
    user = actions.use_sign_in_link(token)
    if user is not None:
        login(request, user, backend=BACKEND)
        return redirect(safe_next(request))
    link = actions.find_sign_in_link(token)
    if link is not None and link.user == request.user:
        messages.info(request, "This link has been used, and you are signed in.")
        return redirect(safe_next(request))
    context = {"form": SignInForm(request), "next": safe_next(request), "notice": USED_LINK}
    return render(request, "core/sign_in.html", context, status=410)


def loads_ahead(request: HttpRequest) -> bool:
    """Whether a browser fetches this only because the person might open it."""
    purposes = (request.headers.get(name, "") for name in ("Sec-Purpose", "Purpose", "X-Moz"))
    return any("prefetch" in purpose or "prerender" in purpose for purpose in purposes)


@require_http_methods(["GET", "HEAD", "POST"])
def sign_out(request: HttpRequest) -> HttpResponseBase:
    """Leave. An address that is only opened signs nobody out."""
    if request.method != "POST":
        return redirect("jobs:ask")
    logout(request)
    messages.info(request, "You are signed out.")
    return redirect("core:sign_in")


@sensitive_post_parameters()
@require_http_methods(["GET", "HEAD", "POST"])
@signed_in
def password(request: PersonRequest) -> HttpResponseBase:
    """A new password. This browser stays signed in; others are signed out."""
    form = password_form(request.user, request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        actions.change_password(request.user, form.cleaned_data["new_password1"])
        update_session_auth_hash(request, request.user)
        messages.success(request, "Your password is changed.")
        return redirect("core:password")
    return render(request, "core/password.html", {"form": form})
