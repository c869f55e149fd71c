"""A new password."""

import pytest
from django.test import Client
from factories import PASSWORD

from webapp.core.models import User

PAGE = "/password/"
NEW = "a much longer phrase 7"


def test_asks_for_the_old_one_and_changes_it(as_alice: Client, alice: User) -> None:
    assert 'name="old_password"' in as_alice.get(PAGE).content.decode()
    data = {"old_password": PASSWORD, "new_password1": NEW, "new_password2": NEW}
    page = as_alice.post(PAGE, data, follow=True)
    assert "Your password is changed" in page.content.decode()
    alice.refresh_from_db()
    assert alice.check_password(NEW)


def test_this_browser_stays_signed_in_and_others_are_signed_out(as_alice: Client, alice: User) -> None:
    elsewhere = Client()
    elsewhere.force_login(alice)
    as_alice.post(PAGE, {"old_password": PASSWORD, "new_password1": NEW, "new_password2": NEW})
    assert as_alice.get(PAGE).status_code == 200
    assert elsewhere.get(PAGE).status_code == 302


def test_somebody_who_came_by_a_link_has_no_old_one_to_give(as_alice: Client, alice: User) -> None:
    alice.set_unusable_password()
    alice.save()
    as_alice.force_login(alice)
    assert 'name="old_password"' not in as_alice.get(PAGE).content.decode()
    as_alice.post(PAGE, {"new_password1": NEW, "new_password2": NEW})
    alice.refresh_from_db()
    assert alice.check_password(NEW)


@pytest.mark.parametrize(
    ("old", "new", "again", "said"),
    [
        ("wrong", NEW, NEW, "entered incorrectly"),
        (PASSWORD, NEW, "different", "didn’t match"),
        (PASSWORD, "12345678", "12345678", "too common"),
        (PASSWORD, "alice", "alice", "too similar"),
        (PASSWORD, "", "", "required"),
    ],
)
def test_says_beside_the_field_what_is_wrong(
    as_alice: Client, alice: User, old: str, new: str, again: str, said: str
) -> None:
    page = as_alice.post(PAGE, {"old_password": old, "new_password1": new, "new_password2": again})
    assert said in page.content.decode()
    alice.refresh_from_db()
    assert alice.check_password(PASSWORD)


def test_strangers_sign_in_first(anonymous: Client) -> None:
    assert anonymous.get(PAGE)["Location"] == "/sign-in/?next=/password/"
    assert anonymous.post(PAGE, {"new_password1": NEW, "new_password2": NEW}).status_code == 302


def test_somebody_without_one_is_quietly_reminded(as_alice: Client, alice: User) -> None:
    assert "Choose a password" not in as_alice.get("/jobs/").content.decode()
    alice.set_unusable_password()
    alice.save()
    as_alice.force_login(alice)
    assert '<a class="quiet" href="/password/">Choose a password</a>' in as_alice.get("/jobs/").content.decode()
