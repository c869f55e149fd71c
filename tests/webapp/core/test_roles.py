"""What each role may do."""

from webapp.core.models import User


def test_an_educator_may_ask_and_see_no_status(alice: User) -> None:
    assert alice.has_perm("jobs.add_job")
    assert not alice.has_perm("core.view_status")


def test_an_annotator_may_neither_ask_nor_invite(bob: User) -> None:
    assert not bob.has_perm("jobs.add_job")
    assert not bob.has_perm("core.add_invitation")


def test_an_admin_may_ask_invite_and_see_the_status(dave: User) -> None:
    assert dave.has_perms(["jobs.add_job", "core.add_invitation", "core.view_status"])


def test_an_admin_looks_after_people_and_only_looks_at_jobs(dave: User) -> None:
    assert dave.has_perms(["core.view_user", "core.change_user", "jobs.view_job", "endpoints.view_endpoint"])
    assert not dave.has_perm("core.delete_user")
    assert not dave.has_perm("jobs.change_job")
