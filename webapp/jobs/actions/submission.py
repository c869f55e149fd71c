"""What a person does to a Job: ask, cancel, try again."""

from uuid import UUID

from django.db import transaction
from django.utils import timezone

from agent.beginning import begin_run
from agent.config import AgentConfig
from agent.errors import ProofreelError
from agent.prompt_check import check_prompt
from agent.types import Prompt, Record, StopReason
from webapp.core.models import User
from webapp.endpoints.models import Endpoint
from webapp.jobs.actions.states import bring_in_step, close_canceled, enqueue_on_commit
from webapp.jobs.models import OPEN, Job, Run, Status
from webapp.jobs.storable import storable_record, storable_text

# After these the same seed is used again: the Run was not to blame, and neither was its luck.
NOT_THE_RUNS_FAULT = (StopReason.INFRASTRUCTURE.value, StopReason.CRASHED.value)


class NoEndpoint(ProofreelError):
    """No model is set up."""

    def __init__(self) -> None:
        super().__init__("No model is set up yet: set LLM_BASE_URL, or start Proofreel with ./run.")


class Submission(Record):
    """What came with the form. `submission` was made with the form, so that sending it twice asks once."""

    prompt: Prompt
    config: AgentConfig
    submission: UUID


def submit(owner: User, submission: Submission) -> Job:
    """Ask for an animation; the same submission again gives the same Job.

    Raises BadPrompt with one sentence for the person, NoEndpoint when there is no model to ask.
    """
    check_prompt(submission.prompt.text)
    with transaction.atomic():
        job, made = Job.objects.get_or_create(
            owner=owner, submission=submission.submission, defaults={"text": submission.prompt.text}
        )
        if made:
            add_run(job, submission.prompt, submission.config)
    return job


def cancel(job: Job) -> None:
    """End what is open: what waits at once, what a worker has as soon as the worker hears of it."""
    with transaction.atomic():
        for run in job.runs.select_for_update().filter(status__in=OPEN):
            if run.status == Status.QUEUED:
                close_canceled(run)
            elif run.stop_requested_at is None:
                run.stop_requested_at = timezone.now()
                run.save(update_fields=["stop_requested_at"])
                bring_in_step(job.id)


def retry(job: Job) -> Run:
    """A new Run of the same prompt; the open one when there is one. Raises NoEndpoint."""
    with transaction.atomic():
        Job.objects.select_for_update().get(id=job.id)
        newest = job.runs.order_by("-number")[0]
        if newest.status in OPEN:
            return newest
        config = AgentConfig.model_validate(newest.config)
        if newest.stop_reason not in NOT_THE_RUNS_FAULT:
            config = config.model_copy(update={"seed": config.seed + 1})
        return add_run(job, Prompt.model_validate(newest.prompt), config, newest.number + 1)


def add_run(job: Job, prompt: Prompt, config: AgentConfig, number: int = 1) -> Run:
    """Put a Run of the default Endpoint into the queue; motion is decided here. Raises NoEndpoint."""
    endpoint = Endpoint.objects.filter(is_default=True).first()
    if endpoint is None:
        raise NoEndpoint
    head = begin_run(prompt, config, endpoint.model or endpoint.name)
    run = Run.objects.create(
        id=UUID(head.id),
        job=job,
        number=number,
        endpoint=endpoint,
        prompt=storable_record(head.prompt),
        config=storable_record(config),
        strategy=head.strategy.value,
        model=storable_text(head.model, 200),
        seed=head.seed,
        versions=head.versions,
    )
    bring_in_step(job.id)
    enqueue_on_commit(run)
    return run
