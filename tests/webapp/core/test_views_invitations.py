"""Invitations: written by admins, accepted by whoever has the link."""

import uuid

import pytest
from django.test import Client
from factories import PASSWORD

from webapp.core import actions
from webapp.core.models import Invitation, User
from webapp.core.roles import Role

LIST = "/invitations/"
NEW = {"username": "erika", "password1": "a much longer phrase 7", "password2": "a much longer phrase 7"}


def link(invitation: Invitation) -> str:
    return f"{LIST}{invitation.token}/"


class TestTheList:
    def test_an_admin_makes_one_and_copies_its_link(self, as_dave: Client) -> None:
        response = as_dave.post(LIST, {"role": "annotator", "note": "second reader"})
        made = Invitation.objects.get()
        assert (made.role, made.note) == ("annotator", "second reader")
        assert response["Location"] == f"{LIST}#invitation-{made.token}"
        assert f"http://testserver{link(made)}" in as_dave.get(LIST).content.decode()

    def test_tells_how_each_stands(self, as_dave: Client, dave: User) -> None:
        accepted = actions.invite(dave, Role.EDUCATOR)
        actions.accept_invitation(accepted.token, "erika", PASSWORD)
        expired = actions.invite(dave, Role.ADMIN)
        Invitation.objects.filter(pk=expired.pk).update(created_at="2020-01-01T00:00Z")
        actions.invite(dave, Role.ANNOTATOR)
        page = as_dave.get(LIST).content.decode()
        assert "accepted by <bdi>erika</bdi>" in page
        assert "expired" in page
        assert page.count('name="revoke"') == 1

    def test_an_open_one_can_be_withdrawn(self, as_dave: Client, dave: User) -> None:
        invitation = actions.invite(dave, Role.EDUCATOR)
        page = as_dave.post(LIST, {"revoke": invitation.token}, follow=True)
        assert "withdrawn" in page.content.decode()
        assert not Invitation.objects.exists()

    def test_withdrawing_twice_is_said(self, as_dave: Client, dave: User) -> None:
        page = as_dave.post(LIST, {"revoke": uuid.uuid4()}, follow=True)
        assert "accepted or withdrawn before" in page.content.decode()
        assert as_dave.post(LIST, {"revoke": "nonsense"}).status_code == 404

    @pytest.mark.parametrize("data", [{"role": "king"}, {}, {"role": "admin", "note": "x" * 201}])
    def test_nonsense_makes_none(self, as_dave: Client, data: dict[str, str]) -> None:
        page = as_dave.post(LIST, data)
        assert 'class="errorlist"' in page.content.decode()
        assert not Invitation.objects.exists()

    def test_a_hostile_note_is_text(self, as_dave: Client) -> None:
        as_dave.post(LIST, {"role": "educator", "note": "<script>alert(1)</script>"})
        assert "&lt;script&gt;alert(1)" in as_dave.get(LIST).content.decode()

    def test_nobody_but_admins_may_see_or_write_them(self, as_alice: Client, as_bob: Client, anonymous: Client) -> None:
        for client in (as_alice, as_bob):
            assert client.get(LIST).status_code == 403
            assert client.post(LIST, {"role": "admin"}).status_code == 403
        assert anonymous.post(LIST, {"role": "admin"}).status_code == 302
        assert not Invitation.objects.exists()

    def test_its_queries_do_not_grow_with_it(
        self, as_dave: Client, dave: User, django_assert_max_num_queries: object
    ) -> None:
        for number in range(5):
            invitation = actions.invite(dave, Role.EDUCATOR)
            actions.accept_invitation(invitation.token, f"person-{number}", PASSWORD)
        with django_assert_max_num_queries(6):
            as_dave.get(LIST)

    def test_long_ones_have_pages(self, as_dave: Client, dave: User) -> None:
        for number in range(51):
            actions.invite(dave, Role.EDUCATOR, f"note {number:02}")
        first, second = (as_dave.get(LIST, {"page": page}).content.decode() for page in (1, 2))
        assert ("note 50" in first, "note 00" in first) == (True, False)
        assert "note 00" in second
        assert f"http://testserver{link(Invitation.objects.last())}" in second

    def test_leads_staff_to_the_people(self, as_dave: Client, dave: User) -> None:
        assert "/admin/core/user/" not in as_dave.get(LIST).content.decode()
        User.objects.filter(pk=dave.pk).update(is_staff=True)
        assert "/admin/core/user/" in as_dave.get(LIST).content.decode()


class TestAccepting:
    @pytest.fixture
    def invitation(self, dave: User) -> Invitation:
        return actions.invite(dave, Role.EDUCATOR)

    def test_makes_the_account_and_signs_it_in(self, anonymous: Client, invitation: Invitation) -> None:
        assert "educator" in anonymous.get(link(invitation)).content.decode()
        response = anonymous.post(link(invitation), NEW)
        assert response["Location"] == "/"
        assert anonymous.session["_auth_user_id"] == str(User.objects.get(username="erika").pk)

    def test_says_that_it_was_used_before(self, anonymous: Client, invitation: Invitation) -> None:
        actions.accept_invitation(invitation.token, "frank", PASSWORD)
        for response in (anonymous.get(link(invitation)), anonymous.post(link(invitation), NEW)):
            assert response.status_code == 404
            assert "can no longer be used" in response.content.decode()

    @pytest.mark.parametrize(
        ("changed", "said"),
        [
            ({"username": "DAVE"}, "already exists"),
            ({"username": "<b>"}, "valid username"),
            ({"username": ""}, "required"),
            ({"password2": "different"}, "match"),
            ({"password1": "12345678", "password2": "12345678"}, "too common"),
        ],
    )
    def test_says_beside_the_field_what_is_wrong(
        self, anonymous: Client, invitation: Invitation, changed: dict[str, str], said: str
    ) -> None:
        page = anonymous.post(link(invitation), NEW | changed)
        assert said in page.content.decode()
        assert User.objects.count() == 1

    def test_somebody_who_is_signed_in_is_told_to_sign_out_first(self, as_dave: Client, invitation: Invitation) -> None:
        response = as_dave.post(link(invitation), NEW)
        assert response.status_code == 409
        assert "Sign out first" in response.content.decode()
        assert User.objects.count() == 1

    def test_an_unknown_one_is_not_there(self, anonymous: Client) -> None:
        assert anonymous.get(f"{LIST}{uuid.uuid4()}/").status_code == 404
