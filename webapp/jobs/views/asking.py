"""The front page: a box for a prompt."""

import uuid
from typing import Any

from django.contrib import messages
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from agent.errors import BadPrompt
from webapp.core.access import NotAllowed, PersonRequest, signed_in, to_sign_in
from webapp.endpoints.models import Endpoint
from webapp.jobs.actions.submission import NoEndpoint, Submission, submit
from webapp.jobs.example_prompts import EXAMPLE_PROMPTS
from webapp.jobs.forms import AskForm
from webapp.jobs.models import Job
from webapp.jobs.watching import small_number

# Where a session holds what was typed by somebody who was no longer signed in.
KEPT = "kept_prompt"
KEPT_FIELDS = ("text", "motion", "quality", "strategy", "repairs")
KEPT_CHARACTERS = 20_000
NOT_FOR_YOU = "Your account is for judging animations that others asked for, not for asking."


@require_http_methods(["GET", "HEAD", "POST"])
def ask(request: HttpRequest) -> HttpResponseBase:
    """The form; what a signed-out person sends is kept until that person has signed in."""
    if request.method == "POST" and not request.user.is_authenticated:
        request.session[KEPT] = {name: request.POST.get(name, "")[:KEPT_CHARACTERS] for name in KEPT_FIELDS}
        messages.info(request, "You had been signed out. Sign in, and what you wrote is there again.")
        return to_sign_in(request)
    return ask_signed_in(request)


@signed_in
def ask_signed_in(request: PersonRequest) -> HttpResponseBase:
    """Submit the form once, or show it with what is wrong. People who judge have nothing to ask and find that out."""
    if not request.user.has_perm("jobs.add_job"):
        if request.method == "POST":
            raise NotAllowed(NOT_FOR_YOU)
        return render(request, "jobs/nothing_to_judge.html")
    if request.method != "POST":
        return page(request, AskForm(initial=beginning(request)))
    form = AskForm(request.POST)
    if form.is_valid():
        try:
            job = submit(
                request.user,
                Submission(prompt=form.prompt(), config=form.config(), submission=form.submission_id()),
            )
        except BadPrompt as error:
            form.add_error("text", str(error))
        except NoEndpoint as error:
            form.add_error(None, str(error))
        else:
            request.session.pop(KEPT, None)
            return redirect("jobs:job", job.pk)
    return page(request, form)


def page(request: PersonRequest, form: AskForm) -> HttpResponseBase:
    """The front page around a form."""
    context = {
        "form": form,
        "examples": EXAMPLE_PROMPTS,
        "has_model": Endpoint.objects.filter(is_default=True).exists(),
    }
    return render(request, "jobs/ask.html", context)


def beginning(request: PersonRequest) -> dict[str, Any]:
    """What a fresh form holds: an example that was chosen, a prompt of one's own that is to be asked in other words,
    else what was kept from before signing in."""
    fresh = {"submission": uuid.uuid4()}
    chosen = small_number(request.GET.get("example", "")) or 0
    if 1 <= chosen <= len(EXAMPLE_PROMPTS):
        return fresh | {"text": EXAMPLE_PROMPTS[chosen - 1]}
    if again := asked_before(request):
        return fresh | again
    kept = request.session.get(KEPT, {})
    return fresh | {name: value for name, value in kept.items() if value}


def asked_before(request: PersonRequest) -> dict[str, Any]:
    """The words and options of the own Job that `?again=` names; nothing when there is none."""
    try:
        job_id = uuid.UUID(request.GET.get("again", ""))
    except ValueError:
        return {}
    job = Job.objects.filter(pk=job_id, owner=request.user).first()
    run = job.runs.order_by("-number").first() if job else None
    if job is None or run is None:
        return {}
    options = {"quality": run.prompt["quality"], "strategy": run.strategy, "repairs": run.config["repairs"]}
    return {"text": job.text} | options
