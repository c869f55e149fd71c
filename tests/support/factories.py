"""Rows for tests. Alice asks, bob and carol annotate, dave administers, charlie may see nothing of alice's."""

import uuid

import factory
from django.contrib.auth.models import Group
from django.utils import timezone

from agent.config import AgentConfig
from agent.types import Motion, Prompt
from webapp.core.models import User
from webapp.core.roles import Role
from webapp.endpoints.models import Endpoint
from webapp.jobs.models import Iteration, Job, Run, Status

PASSWORD = "correct horse battery"


class UserFactory(factory.django.DjangoModelFactory):
    """Someone without a role, unless `role` names one."""

    class Meta:
        model = User
        skip_postgeneration_save = True

    username = factory.Sequence(lambda n: f"person{n}")
    email = factory.LazyAttribute(lambda user: f"{user.username}@example.org")
    password = factory.django.Password(PASSWORD)

    @factory.post_generation
    def role(self, create: bool, role: Role | None, **_: object) -> None:
        if create and role:
            self.groups.add(Group.objects.get(name=role.value))


class EndpointFactory(factory.django.DjangoModelFactory):
    """The default Endpoint: a script."""

    class Meta:
        model = Endpoint
        django_get_or_create = ("name",)

    name = "scripted"
    kind = Endpoint.Kind.SCRIPTED
    script = "/nonexistent/script.json"
    is_default = True


class JobFactory(factory.django.DjangoModelFactory):
    """Something that alice asked for, still in the queue."""

    class Meta:
        model = Job

    owner = factory.SubFactory(UserFactory, role=Role.EDUCATOR)
    text = "a dot moves to the right"


class RunFactory(factory.django.DjangoModelFactory):
    """A Run in the queue; `started=True` gives it to a worker."""

    class Meta:
        model = Run

    class Params:
        started = factory.Trait(
            status=Status.STARTED,
            lease=factory.LazyFunction(uuid.uuid4),
            worker="worker-1",
            started_at=factory.LazyFunction(timezone.now),
            heartbeat_at=factory.LazyFunction(timezone.now),
            starts=1,
        )

    job = factory.SubFactory(JobFactory)
    endpoint = factory.SubFactory(EndpointFactory)
    prompt = factory.LazyAttribute(
        lambda run: Prompt(text=run.job.text, motion=Motion.ANIMATED).model_dump(mode="json")
    )
    config = factory.LazyFunction(lambda: AgentConfig().model_dump(mode="json"))
    strategy = "full"
    model = "scripted"


class IterationFactory(factory.django.DjangoModelFactory):
    """A turn whose render failed."""

    class Meta:
        model = Iteration

    run = factory.SubFactory(RunFactory)
    index = factory.Sequence(lambda n: n)
    kind = "write"
    author = "model"
    code = "from manim import *\n"
