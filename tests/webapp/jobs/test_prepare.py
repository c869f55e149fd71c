"""`manage.py prepare`."""

import json
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command
from django.test import Client
from pytest_django import Settings as DjangoSettings

from webapp.core.models import User
from webapp.endpoints.models import Endpoint


@pytest.fixture
def prepare(db: None, settings: DjangoSettings, tmp_path: Path) -> "Prepare":
    settings.STATIC_ROOT = tmp_path / "static"
    return Prepare()


class Prepare:
    """Runs the command and reads its line."""

    def __call__(self) -> dict[str, dict[str, str]]:
        out = StringIO()
        call_command("prepare", stdout=out)
        assert len(out.getvalue().splitlines()) == 1
        return json.loads(out.getvalue())


def test_makes_the_people_the_model_the_files_and_links(
    prepare: Prepare, settings: DjangoSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LLM_BASE_URL", "http://127.0.0.1:9/v1")
    told = prepare()
    assert list(told["sign_in"]) == ["educator", "annotator", "admin"]
    assert Client().get(told["sign_in"]["admin"])["Location"] == "/"
    assert Endpoint.objects.get(is_default=True).base_url == "http://127.0.0.1:9/v1"
    assert (Path(settings.STATIC_ROOT) / "proofreel.css").exists()
    assert User.objects.count() == 3


def test_a_second_time_gives_new_links_and_nothing_else(prepare: Prepare) -> None:
    first, second = prepare(), prepare()
    assert first != second
    assert Client().get(first["sign_in"]["admin"]).status_code == 410
    assert User.objects.count() == 3
    assert Endpoint.objects.count() == 1


def test_without_a_boot_it_gives_no_links(prepare: Prepare, settings: DjangoSettings) -> None:
    settings.BOOT_ID = ""
    assert prepare() == {"sign_in": {}}
