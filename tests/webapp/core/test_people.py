"""The first accounts, the links that sign them in, and invitations: the writes behind the pages."""

import uuid
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from django.core import signing
from django.db import IntegrityError, connection
from django.utils import timezone
from factories import PASSWORD, UserFactory
from pytest_django import Settings as DjangoSettings

from webapp.core import actions
from webapp.core.models import INVITATION_LIFE, Invitation, SignInLink, User
from webapp.core.roles import Role


def token_of(path: str) -> str:
    return path.removeprefix("/sign-in/").removesuffix("/")


@pytest.mark.usefixtures("db")
class TestSeeding:
    def test_makes_one_account_per_role_and_nobody_can_guess_a_password(self) -> None:
        people = actions.seed_people()
        assert [people[role].username for role in Role] == ["educator", "annotator", "admin"]
        assert all(people[role].groups.get().name == role for role in Role)
        assert not any(user.has_usable_password() for user in people.values())

    def test_only_the_admin_sees_djangos_own_pages(self) -> None:
        people = actions.seed_people()
        assert [(user.is_staff, user.is_superuser) for user in people.values()] == [
            (False, False),
            (False, False),
            (True, True),
        ]

    def test_a_second_time_changes_nothing(self) -> None:
        actions.seed_people()
        educator = User.objects.get(username="educator")
        actions.change_password(educator, PASSWORD)
        actions.seed_people()
        assert User.objects.count() == 3
        assert User.objects.get(username="educator").check_password(PASSWORD)


@pytest.mark.usefixtures("db")
class TestSignInLinks:
    @pytest.fixture
    def links(self) -> dict[Role, str]:
        actions.seed_people()
        return actions.new_sign_in_links("test-boot")

    def test_each_signs_its_person_in_once(self, links: dict[Role, str]) -> None:
        token = token_of(links[Role.EDUCATOR])
        used = actions.use_sign_in_link(token)
        assert used is not None
        assert used.username == "educator"
        assert actions.use_sign_in_link(token) is None

    def test_those_of_an_earlier_boot_are_gone(self, links: dict[Role, str]) -> None:
        actions.new_sign_in_links("test-boot")
        assert actions.use_sign_in_link(token_of(links[Role.ADMIN])) is None
        assert SignInLink.objects.count() == len(Role)

    def test_those_of_another_boot_are_refused(self, links: dict[Role, str], settings: DjangoSettings) -> None:
        settings.BOOT_ID = "next-boot"
        assert actions.use_sign_in_link(token_of(links[Role.ADMIN])) is None

    def test_without_a_boot_there_are_none(self, settings: DjangoSettings) -> None:
        settings.BOOT_ID = ""
        actions.seed_people()
        link = actions.new_sign_in_links("")[Role.ADMIN]
        assert actions.use_sign_in_link(token_of(link)) is None

    def test_what_was_not_signed_here_is_refused(self, links: dict[Role, str]) -> None:
        link = SignInLink.objects.get(user__username="admin")
        for token in ("", "nonsense", str(link.pk), signing.dumps(link.pk), token_of(links[Role.ADMIN])[:-1]):
            assert actions.use_sign_in_link(token) is None

    def test_a_closed_account_stays_closed(self, links: dict[Role, str]) -> None:
        User.objects.filter(username="educator").update(is_active=False)
        assert actions.use_sign_in_link(token_of(links[Role.EDUCATOR])) is None


@pytest.mark.django_db(transaction=True)
def test_two_tabs_that_open_a_link_at_once_use_it_once() -> None:
    actions.seed_people()
    token = token_of(actions.new_sign_in_links("test-boot")[Role.EDUCATOR])

    def use(_: int) -> bool:
        try:
            return actions.use_sign_in_link(token) is not None
        finally:
            connection.close()

    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(use, range(8))) == 1


class TestInvitations:
    @pytest.mark.parametrize("role", Role)
    def test_an_accepted_one_makes_an_account_of_its_role(self, dave: User, role: Role) -> None:
        invitation = actions.invite(dave, role, "for a friend")
        erika = actions.accept_invitation(invitation.token, "erika", PASSWORD)
        assert erika.groups.get().name == role
        assert erika.check_password(PASSWORD)
        assert (erika.is_staff, erika.is_superuser) == (role is Role.ADMIN, False)
        invitation.refresh_from_db()
        assert invitation.accepted_by == erika
        assert not invitation.is_open

    def test_can_be_accepted_once(self, dave: User) -> None:
        invitation = actions.invite(dave, Role.EDUCATOR)
        actions.accept_invitation(invitation.token, "erika", PASSWORD)
        with pytest.raises(actions.InvitationClosed):
            actions.accept_invitation(invitation.token, "frank", PASSWORD)
        assert not User.objects.filter(username="frank").exists()

    def test_ends_after_two_weeks(self, dave: User) -> None:
        invitation = actions.invite(dave, Role.EDUCATOR)
        Invitation.objects.update(created_at=timezone.now() - INVITATION_LIFE - timedelta(seconds=1))
        with pytest.raises(actions.InvitationClosed):
            actions.accept_invitation(invitation.token, "erika", PASSWORD)

    def test_a_withdrawn_one_cannot_be_accepted(self, dave: User) -> None:
        invitation = actions.invite(dave, Role.EDUCATOR)
        assert actions.revoke_invitation(invitation.token)
        with pytest.raises(actions.InvitationClosed):
            actions.accept_invitation(invitation.token, "erika", PASSWORD)

    def test_an_accepted_one_cannot_be_withdrawn(self, dave: User) -> None:
        invitation = actions.invite(dave, Role.EDUCATOR)
        actions.accept_invitation(invitation.token, "erika", PASSWORD)
        assert not actions.revoke_invitation(invitation.token)
        assert not actions.revoke_invitation(uuid.uuid4())

    def test_a_name_that_is_taken_leaves_it_open(self, dave: User) -> None:
        UserFactory(username="erika")
        invitation = actions.invite(dave, Role.EDUCATOR)
        with pytest.raises(IntegrityError):
            actions.accept_invitation(invitation.token, "erika", PASSWORD)
        invitation.refresh_from_db()
        assert invitation.is_open
