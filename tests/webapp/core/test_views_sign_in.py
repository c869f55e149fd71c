"""Coming in and leaving."""

import pytest
from django.test import Client
from factories import PASSWORD, UserFactory

from webapp.core import actions
from webapp.core.models import SignInLink, User
from webapp.core.roles import Role

FORM = "/sign-in/"


def is_signed_in(client: Client) -> bool:
    return "_auth_user_id" in client.session


def sign_in(client: Client, password: str = PASSWORD, **data: str) -> object:
    return client.post(FORM, {"username": "alice", "password": password, **data})


class TestByPassword:
    def test_brings_a_person_to_the_front_page(self, anonymous: Client, alice: User) -> None:
        response = sign_in(anonymous)
        assert response["Location"] == "/"
        assert is_signed_in(anonymous)

    def test_brings_a_person_back_to_where_the_person_wanted_to_go(self, anonymous: Client, alice: User) -> None:
        response = anonymous.get("/jobs/?q=dot")
        assert response["Location"] == "/sign-in/?next=/jobs/%3Fq%3Ddot"
        assert 'name="next" value="/jobs/?q=dot"' in anonymous.get(response["Location"]).content.decode()
        assert sign_in(anonymous, next="/jobs/?q=dot")["Location"] == "/jobs/?q=dot"

    @pytest.mark.parametrize(
        "elsewhere", ["https://evil.example/", "//evil.example", "/\\evil.example", "javascript:alert(1)", "http:evil"]
    )
    def test_never_leads_to_another_site(self, anonymous: Client, alice: User, elsewhere: str) -> None:
        assert sign_in(anonymous, next=elsewhere)["Location"] == "/"

    def test_says_in_words_what_is_wrong_and_keeps_the_name(self, anonymous: Client, alice: User) -> None:
        page = sign_in(anonymous, "wrong").content.decode()
        assert "do not belong together" in page
        assert 'value="alice"' in page
        assert "wrong" not in page.replace("field-wrong", "")
        assert not is_signed_in(anonymous)

    @pytest.mark.parametrize("name", ["nobody", "", "a\x00b", "x" * 500, "<script>alert(1)</script>"])
    def test_takes_any_name_for_text(self, anonymous: Client, alice: User, name: str) -> None:
        response = anonymous.post(FORM, {"username": name, "password": "x"})
        assert response.status_code == 200
        assert "<script>alert" not in response.content.decode()

    def test_a_closed_account_stays_outside(self, anonymous: Client, alice: User) -> None:
        User.objects.update(is_active=False)
        sign_in(anonymous)
        assert not is_signed_in(anonymous)

    def test_somebody_who_is_signed_in_needs_no_form(self, as_alice: Client) -> None:
        assert as_alice.get(FORM)["Location"] == "/"

    def test_other_methods_are_refused(self, anonymous: Client) -> None:
        assert anonymous.put(FORM).status_code == 405


class TestByLink:
    @pytest.fixture
    def link(self, db: None) -> str:
        actions.seed_people()
        return actions.new_sign_in_links("test-boot")[Role.EDUCATOR]

    def test_signs_in_and_leads_to_the_front_page(self, anonymous: Client, link: str) -> None:
        assert anonymous.get(link)["Location"] == "/"
        assert anonymous.get("/").status_code == 200

    def test_a_used_one_says_so_and_offers_the_form(self, anonymous: Client, link: str) -> None:
        Client().get(link)
        response = anonymous.get(link)
        assert response.status_code == 410
        assert "has been used or is no longer valid" in response.content.decode()
        assert "start ./run again: it prints new links" in response.content.decode()
        assert 'name="username"' in response.content.decode()
        assert not is_signed_in(anonymous)

    def test_the_person_it_is_for_may_open_it_again(self, anonymous: Client, link: str) -> None:
        anonymous.get(link)
        page = anonymous.get(link, follow=True)
        assert "you are signed in" in page.content.decode()

    def test_a_used_one_does_not_let_somebody_else_in(self, as_alice: Client, link: str) -> None:
        Client().get(link)
        assert as_alice.get(link).status_code == 410

    def test_replaces_whoever_was_signed_in_before(self, as_alice: Client, link: str) -> None:
        as_alice.get(link)
        assert User.objects.get(pk=as_alice.session["_auth_user_id"]).username == "educator"

    def test_looking_at_it_does_not_use_it_up(self, anonymous: Client, link: str) -> None:
        anonymous.head(link)
        for name, value in (
            ("Sec-Purpose", "prefetch"),
            ("Sec-Purpose", "prefetch;prerender"),
            ("Purpose", "prefetch"),
            ("X-Moz", "prefetch"),
        ):
            anonymous.get(link, headers={name: value})
        assert not SignInLink.objects.exclude(used_at=None).exists()
        assert not is_signed_in(anonymous)

    def test_is_not_kept_by_caches(self, anonymous: Client, link: str) -> None:
        assert "no-store" in anonymous.get(link)["Cache-Control"]

    def test_nonsense_is_a_clear_page(self, anonymous: Client) -> None:
        assert anonymous.get("/sign-in/nonsense/").status_code == 410

    def test_cannot_be_posted(self, anonymous: Client, link: str) -> None:
        assert anonymous.post(link).status_code == 405


class TestLeaving:
    def test_signs_out_and_says_so(self, as_alice: Client) -> None:
        page = as_alice.post("/sign-out/", follow=True)
        assert "You are signed out" in page.content.decode()
        assert "starting ./run again prints new ones" in page.content.decode()
        assert not is_signed_in(as_alice)

    def test_a_link_alone_signs_nobody_out(self, as_alice: Client) -> None:
        assert as_alice.get("/sign-out/")["Location"] == "/"
        assert is_signed_in(as_alice)


def test_people_without_a_role_can_sign_in_and_see_their_history(anonymous: Client, db: None) -> None:
    anonymous.force_login(UserFactory())
    assert anonymous.get("/jobs/").status_code == 200
