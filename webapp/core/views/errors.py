"""What a person sees instead of an error: one clear sentence, in the product's look, never a trace of the program.

These pages may be all that still works, so none of them asks the database, except 403 and 404, which keep the menu.
"""

import logging
import sys
from http import HTTPStatus

from django.core.exceptions import RequestDataTooBig
from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse
from django.middleware.csrf import get_token
from django.template.loader import render_to_string

from webapp.core.access import Missing, NotAllowed

LOG = logging.getLogger(__name__)
# As much of a body that is too big is read and thrown away, so that its sender hears the answer.
DRAINED_BYTES = 64 * 2**20


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """400, or 413 when more was sent than is taken."""
    if isinstance(exception, RequestDataTooBig):
        drain(request)
        return plain(
            HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
            "That was too much at once",
            "What you sent is larger than this page takes. Go back: your text is still in the form; shorten it there.",
        )
    return plain(HTTPStatus.BAD_REQUEST, "That request made no sense", "Go back and try it once more.")


def permission_denied(request: HttpRequest, exception: Exception) -> HttpResponse:
    """403, with our own sentence where a view has one."""
    sentence = str(exception) if isinstance(exception, NotAllowed) else "Your account is not meant for this page."
    context = {"title": "Not for this account", "sentence": sentence}
    return HttpResponse(render_to_string("errors/with_menu.html", context, request), status=HTTPStatus.FORBIDDEN)


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    """404. Somebody else's things look exactly like things that are not there."""
    sentence = "There is nothing here, or it is not yours to see."
    if isinstance(exception, Missing):
        sentence = str(exception)
    context = {"title": "Not here", "sentence": sentence}
    return HttpResponse(render_to_string("errors/with_menu.html", context, request), status=HTTPStatus.NOT_FOUND)


def server_error(request: HttpRequest) -> HttpResponse:
    """500, or 503 while the database is away."""
    del request
    if isinstance(sys.exc_info()[1], OperationalError | InterfaceError):
        response = plain(
            HTTPStatus.SERVICE_UNAVAILABLE,
            "Back in a moment",
            "The database cannot be reached right now. Nothing is lost; try again shortly.",
        )
        response["Retry-After"] = "10"
        return response
    return plain(
        HTTPStatus.INTERNAL_SERVER_ERROR,
        "Something broke on our side",
        "The fault is written down for whoever looks after this server. It is not your fault; try again.",
    )


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    """403: the form was too old or came from elsewhere. What was typed is on the page, ready to be sent again."""
    LOG.warning("A form was refused: %s", reason)
    typed = {name: value for name, value in request.POST.items() if name != "csrfmiddlewaretoken"}
    context = {
        "title": "Please send that once more",
        "sentence": "The form had been open for too long, or cookies are blocked in your browser.",
        "text": typed.pop("text", None),
        "others": {name: value for name, value in typed.items() if "password" not in name},
        "path": request.path,
        "csrf_token": get_token(request),
    }
    return HttpResponse(render_to_string("errors/csrf.html", context), status=HTTPStatus.FORBIDDEN)


def plain(status: HTTPStatus, title: str, sentence: str) -> HttpResponse:
    """A page that needs neither a session nor a database."""
    html = render_to_string("errors/plain.html", {"title": title, "sentence": sentence})
    return HttpResponse(html, status=status)


def drain(request: HttpRequest) -> None:
    """Read what is still being sent: browsers that cannot finish sending show an error of their own."""
    left = DRAINED_BYTES
    while left > 0 and (chunk := request.read(min(left, 2**20))):
        left -= len(chunk)
