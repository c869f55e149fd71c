"""Invitations: written, listed and withdrawn by admins, accepted by whoever has the link."""

import uuid

from django.contrib import messages
from django.contrib.auth import login
from django.core.paginator import Paginator
from django.db import IntegrityError
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods

from webapp.core import actions
from webapp.core.access import Missing, PersonRequest, allowed
from webapp.core.forms import ROLE_WORDS, AcceptForm, InviteForm
from webapp.core.models import INVITATION_LIFE, Invitation
from webapp.core.roles import Role
from webapp.core.views.sign_in import BACKEND

PAGE = 50


@require_http_methods(["GET", "HEAD", "POST"])
@allowed("core.add_invitation", "Only admins write invitations.")
def invitations(request: PersonRequest) -> HttpResponseBase:
    """The list, a new one, or one withdrawn (`revoke` holds its token)."""
    if request.method == "POST" and "revoke" in request.POST:
        return revoke(request)
    form = InviteForm(request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        made = actions.invite(request.user, Role(form.cleaned_data["role"]), form.cleaned_data["note"])
        messages.success(request, "The invitation is ready: copy its link below and send it.")
        return redirect(f"{request.path}#invitation-{made.token}")
    listed = Invitation.objects.select_related("created_by", "accepted_by")
    page = Paginator(listed, PAGE).get_page(request.GET.get("page"))
    rows = [(invitation, request.build_absolute_uri(f"{request.path}{invitation.token}/")) for invitation in page]
    context = {"form": form, "page": page, "rows": rows, "days": INVITATION_LIFE.days}
    return render(request, "core/invitations.html", context)


def revoke(request: PersonRequest) -> HttpResponseBase:
    """Withdraw one and say so."""
    try:
        token = uuid.UUID(request.POST["revoke"])
    except ValueError:
        raise Missing("There is no such invitation.") from None
    if actions.revoke_invitation(token):
        messages.success(request, "The invitation is withdrawn: its link no longer works.")
    else:
        messages.error(request, "This invitation was accepted or withdrawn before.")
    return redirect(request.path)


@never_cache
@sensitive_post_parameters()
@require_http_methods(["GET", "HEAD", "POST"])
def accept(request: HttpRequest, token: uuid.UUID) -> HttpResponseBase:
    """Choose a name and a password, and come in."""
    invitation = Invitation.objects.filter(token=token).first()
    if invitation is None or not invitation.is_open:
        raise Missing("This invitation can no longer be used: ask for a new one.")
    if request.user.is_authenticated:
        return render(request, "core/accept.html", {"invitation": invitation}, status=409)
    form = AcceptForm(request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        try:
            user = actions.accept_invitation(token, form.cleaned_data["username"], form.cleaned_data["password1"])
        except actions.InvitationClosed as closed:
            raise Missing(str(closed)) from closed
        except IntegrityError:  # somebody took the name in the meantime
            form.add_error("username", "This name has just been taken: choose another one.")
        else:
            login(request, user, backend=BACKEND)
            return redirect("jobs:ask")
    does = ROLE_WORDS[Role(invitation.role)]
    return render(request, "core/accept.html", {"invitation": invitation, "form": form, "does": does})
