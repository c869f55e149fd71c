"""People, the invitations that make them, and the links that `./run` prints for signing in."""

import uuid
from datetime import timedelta
from typing import ClassVar

from django.contrib.auth.models import AbstractUser
from django.db import models
from django.utils import timezone

from webapp.core.roles import Role

INVITATION_LIFE = timedelta(days=14)


class User(AbstractUser):
    """Someone who signs in. Roles are groups; see `webapp.core.roles`."""

    class Meta(AbstractUser.Meta):
        permissions: ClassVar = [("view_status", "Can see the status of the services")]


class Invitation(models.Model):
    """A letter of invitation: whoever has its link makes one account with its role."""

    token = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    role = models.CharField(max_length=20, choices=[(role.value, role.value) for role in Role])
    note = models.CharField(max_length=200, blank=True)
    created_by = models.ForeignKey(User, on_delete=models.CASCADE, related_name="invitations")
    created_at = models.DateTimeField(default=timezone.now)
    accepted_at = models.DateTimeField(null=True)
    accepted_by = models.OneToOneField(User, null=True, on_delete=models.SET_NULL, related_name="invitation")

    class Meta:
        ordering: ClassVar = ["-created_at"]

    def __str__(self) -> str:
        return f"{self.role} {self.note}".strip()

    @property
    def is_open(self) -> bool:
        """Whether it can still be accepted."""
        return self.accepted_at is None and timezone.now() < self.created_at + INVITATION_LIFE


class SignInLink(models.Model):
    """A link that signs one person in once, for as long as the `./run` that printed it lives."""

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="sign_in_links")
    boot_id = models.CharField(max_length=64)
    created_at = models.DateTimeField(default=timezone.now)
    used_at = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return f"{self.user} {self.created_at:%Y-%m-%d %H:%M}"
