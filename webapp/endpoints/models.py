"""The models that are served."""

from typing import ClassVar

from django.db import models
from django.db.models import Q
from django.utils import timezone


class Endpoint(models.Model):
    """A served model. No key is stored: `key_setting` names the environment variable that holds it.

    An embedded one is found through the state file of its server at the moment of use, because its address and key
    change with each start. A scripted one plays back a file: for demonstrations and tests.
    """

    class Kind(models.TextChoices):
        EMBEDDED = "embedded"
        REMOTE = "remote"
        SCRIPTED = "scripted"

    name = models.CharField(max_length=100, unique=True)
    kind = models.CharField(max_length=10, choices=Kind)
    base_url = models.CharField(max_length=500, blank=True)
    model = models.CharField(max_length=200, blank=True)
    script = models.CharField(max_length=500, blank=True)
    key_setting = models.CharField(max_length=50, blank=True)
    input_price = models.FloatField(default=0.0, help_text="US dollars per million tokens")
    output_price = models.FloatField(default=0.0, help_text="US dollars per million tokens")
    is_default = models.BooleanField(default=False)
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["is_default"], condition=Q(is_default=True), name="one_default_endpoint"),
            models.CheckConstraint(
                condition=Q(kind="embedded") | Q(kind="remote") & ~Q(base_url="") | Q(kind="scripted") & ~Q(script=""),
                name="endpoint_has_what_its_kind_needs",
            ),
        ]

    def __str__(self) -> str:
        return self.name
