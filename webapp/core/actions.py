"""Every write about people: the first accounts, sign-in links, passwords and invitations."""

import uuid

from django.conf import settings
from django.contrib.auth.models import Group
from django.core import signing
from django.db import transaction
from django.utils import timezone

from agent.errors import ProofreelError
from webapp.core.models import Invitation, SignInLink, User
from webapp.core.roles import Role

LINK_SALT = "webapp.core.sign-in"


class InvitationClosed(ProofreelError):
    """The invitation was accepted, withdrawn or left too long."""


@transaction.atomic
def seed_people() -> dict[Role, User]:
    """One account per role, named as the role and without a password; those that are there stay as they are."""
    people = {}
    for role in Role:
        user, is_new = User.objects.get_or_create(username=role.value)
        if is_new:
            user.set_unusable_password()
            user.is_staff = user.is_superuser = role is Role.ADMIN
            user.save()
        user.groups.add(Group.objects.get(name=role.value))
        people[role] = user
    return people


@transaction.atomic
def new_sign_in_links(boot_id: str) -> dict[Role, str]:
    """One path per seeded account that signs it in once while this boot lives; those of earlier boots are gone."""
    SignInLink.objects.all().delete()
    paths = {}
    for role in Role:
        link = SignInLink.objects.create(user=User.objects.get(username=role.value), boot_id=boot_id)
        paths[role] = f"/sign-in/{signing.dumps(link.pk, salt=LINK_SALT)}/"
    return paths


def use_sign_in_link(token: str) -> User | None:
    """The person of an unused link of this boot, which is used from now on; None for every other token."""
    link = find_sign_in_link(token)
    if link is None or not settings.BOOT_ID or link.boot_id != settings.BOOT_ID or not link.user.is_active:
        return None
    # The condition decides between two tabs that open the link at the same moment.
    used = SignInLink.objects.filter(pk=link.pk, used_at=None).update(used_at=timezone.now())
    return link.user if used else None


def find_sign_in_link(token: str) -> SignInLink | None:
    """The link of a token that was signed here, used or not."""
    try:
        key = signing.loads(token, salt=LINK_SALT)
    except signing.BadSignature:
        return None
    return SignInLink.objects.select_related("user").filter(pk=key).first()


def change_password(user: User, password: str) -> None:
    """Give a person a new password. Every other browser of that person is signed out by it."""
    user.set_password(password)
    user.save(update_fields=["password"])


def invite(created_by: User, role: Role, note: str = "") -> Invitation:
    """A letter for one new account with that role."""
    return Invitation.objects.create(created_by=created_by, role=role.value, note=note)


def revoke_invitation(token: uuid.UUID) -> bool:
    """Withdraw an invitation that nobody has accepted; False when there is none (any more)."""
    deleted, _ = Invitation.objects.filter(token=token, accepted_at=None).delete()
    return bool(deleted)


@transaction.atomic
def accept_invitation(token: uuid.UUID, username: str, password: str) -> User:
    """Make the account that an invitation is for. Raises InvitationClosed; IntegrityError when the name is taken."""
    invitation = Invitation.objects.select_for_update().filter(token=token).first()
    if invitation is None or not invitation.is_open:
        raise InvitationClosed("This invitation can no longer be used: ask for a new one.")
    role = Role(invitation.role)
    user = User.objects.create_user(username, password=password, is_staff=role is Role.ADMIN)
    user.groups.add(Group.objects.get(name=role.value))
    invitation.accepted_at = timezone.now()
    invitation.accepted_by = user
    invitation.save(update_fields=["accepted_at", "accepted_by"])
    return user
