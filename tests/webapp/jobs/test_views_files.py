"""Videos, pictures and programs: for their owner, whole or in part."""

import pytest
from django.core.files.storage import default_storage
from django.test import Client
from factories import JobFactory
from pictured import PICTURE, VIDEO, crashed, drawn, finished, stored

from webapp.core.models import User
from webapp.jobs.models import Run

SIZE = len(VIDEO)


@pytest.fixture
def run(alice: User) -> Run:
    run = finished(JobFactory(owner=alice, text="Zeig <b>einen</b> Punkt: 100 %!"))
    drawn(run, 0, code="from manim import *\n# <b>ä</b>\n")
    crashed(run, 1)
    return run


def body(response: object) -> bytes:
    return b"".join(response.streaming_content) if response.streaming else response.content


class TestWhatIsServed:
    def test_a_video(self, as_alice: Client, run: Run) -> None:
        response = as_alice.get(f"/runs/{run.pk}/video.mp4")
        assert body(response) == VIDEO
        assert response["Content-Type"] == "video/mp4"
        assert response["Content-Length"] == str(SIZE)
        assert response["Accept-Ranges"] == "bytes"
        assert response["Cache-Control"] == "private, no-cache"
        assert response["X-Content-Type-Options"] == "nosniff"
        assert "Content-Disposition" not in response

    @pytest.mark.parametrize(
        ("name", "content", "kind"), [("video.mp4", VIDEO, "video/mp4"), ("poster.png", PICTURE, "image/png")]
    )
    def test_the_files_of_a_try(self, as_alice: Client, run: Run, name: str, content: bytes, kind: str) -> None:
        response = as_alice.get(f"/runs/{run.pk}/0/{name}")
        assert (body(response), response["Content-Type"]) == (content, kind)

    def test_a_still(self, as_alice: Client, run: Run) -> None:
        Run.objects.update(final_still=stored(run, "final-aaaaaaaaaaaa.png", PICTURE))
        assert body(as_alice.get(f"/runs/{run.pk}/still.png")) == PICTURE

    @pytest.mark.parametrize("path", ["scene.py", "0/scene.py"])
    def test_a_program_is_plain_text(self, as_alice: Client, run: Run, path: str) -> None:
        response = as_alice.get(f"/runs/{run.pk}/{path}")
        assert response.content.decode() == "from manim import *\n# <b>ä</b>\n"
        assert response["Content-Type"] == "text/plain; charset=utf-8"

    @pytest.mark.parametrize(
        ("path", "name"),
        [
            ("video.mp4", "zeig-beinenb-punkt-100.mp4"),
            ("scene.py", "zeig-beinenb-punkt-100.py"),
            ("0/poster.png", "zeig-beinenb-punkt-100.png"),
        ],
    )
    def test_a_download_is_named_after_the_prompt(self, as_alice: Client, run: Run, path: str, name: str) -> None:
        response = as_alice.get(f"/runs/{run.pk}/{path}?download")
        assert response["Content-Disposition"] == f'attachment; filename="{name}"'

    def test_a_prompt_without_latin_letters_is_called_animation(self, as_alice: Client, alice: User) -> None:
        run = finished(JobFactory(owner=alice, text="你好"))
        response = as_alice.get(f"/runs/{run.pk}/video.mp4?download")
        assert response["Content-Disposition"] == 'attachment; filename="animation.mp4"'


class TestWhatIsNotThere:
    @pytest.mark.parametrize(
        "path",
        ["still.png", "poster.png", "run.json", "1/video.mp4", "0/still.png", "0/x.mp4", "2/scene.py", "..%2Fx"],
    )
    def test_is_a_404_with_a_sentence(self, as_alice: Client, run: Run, path: str) -> None:
        response = as_alice.get(f"/runs/{run.pk}/{path}")
        assert response.status_code == 404
        assert "There is " in response.content.decode()

    def test_a_file_that_was_deleted_is_told(self, as_alice: Client, run: Run) -> None:
        default_storage.delete(run.final_video.name)
        response = as_alice.get(f"/runs/{run.pk}/video.mp4")
        assert response.status_code == 404
        assert "This file is gone" in response.content.decode()

    def test_a_run_that_delivered_nothing_has_no_program(self, as_alice: Client, run: Run) -> None:
        Run.objects.update(best_iteration=None)
        assert as_alice.get(f"/runs/{run.pk}/scene.py").status_code == 404


@pytest.mark.parametrize("path", ["video.mp4", "scene.py", "0/video.mp4", "0/poster.png", "0/scene.py"])
class TestWhoMayHaveIt:
    def test_nobody_but_the_owner(
        self, as_charlie: Client, as_bob: Client, as_dave: Client, run: Run, path: str
    ) -> None:
        for client in (as_charlie, as_bob, as_dave):
            assert client.get(f"/runs/{run.pk}/{path}").status_code == 404
            assert client.head(f"/runs/{run.pk}/{path}").status_code == 404

    def test_strangers_sign_in_first(self, anonymous: Client, run: Run, path: str) -> None:
        assert anonymous.get(f"/runs/{run.pk}/{path}")["Location"].startswith("/sign-in/")

    def test_it_is_only_read(self, as_alice: Client, run: Run, path: str) -> None:
        assert as_alice.post(f"/runs/{run.pk}/{path}").status_code == 405


class TestParts:
    @pytest.mark.parametrize(
        ("asked", "first", "last"),
        [
            ("bytes=0-99", 0, 99),
            ("bytes=100-", 100, SIZE - 1),
            ("bytes=-10", SIZE - 10, SIZE - 1),
            ("bytes=0-999999999", 0, SIZE - 1),
            ("bytes=-999999999", 0, SIZE - 1),
            (f"bytes={SIZE - 1}-", SIZE - 1, SIZE - 1),
        ],
    )
    def test_a_part_is_a_206(self, as_alice: Client, run: Run, asked: str, first: int, last: int) -> None:
        response = as_alice.get(f"/runs/{run.pk}/video.mp4", headers={"Range": asked})
        assert response.status_code == 206
        assert response["Content-Range"] == f"bytes {first}-{last}/{SIZE}"
        assert response["Content-Length"] == str(last - first + 1)
        assert body(response) == VIDEO[first : last + 1]

    @pytest.mark.parametrize("asked", [f"bytes={SIZE}-", "bytes=999999-1000000", "bytes=-0"])
    def test_a_part_outside_is_a_416(self, as_alice: Client, run: Run, asked: str) -> None:
        response = as_alice.get(f"/runs/{run.pk}/video.mp4", headers={"Range": asked})
        assert (response.status_code, body(response)) == (416, b"")
        assert response["Content-Range"] == f"bytes */{SIZE}"

    @pytest.mark.parametrize(
        "asked", ["", "bytes=", "bytes=-", "bytes=5-2", "bytes=0-1,5-9", "lines=0-1", "bytes=a-b", f"bytes={'9' * 40}-"]
    )
    def test_what_makes_no_sense_gets_the_whole_file(self, as_alice: Client, run: Run, asked: str) -> None:
        response = as_alice.get(f"/runs/{run.pk}/video.mp4", headers={"Range": asked})
        assert (response.status_code, body(response)) == (200, VIDEO)

    def test_a_part_of_a_file_that_has_changed_is_the_whole_file(self, as_alice: Client, run: Run) -> None:
        tag = as_alice.head(f"/runs/{run.pk}/video.mp4")["ETag"]
        same = as_alice.get(f"/runs/{run.pk}/video.mp4", headers={"Range": "bytes=0-9", "If-Range": tag})
        other = as_alice.get(f"/runs/{run.pk}/video.mp4", headers={"Range": "bytes=0-9", "If-Range": '"old"'})
        assert (same.status_code, other.status_code) == (206, 200)

    def test_a_known_file_is_not_sent_again(self, as_alice: Client, run: Run) -> None:
        tag = as_alice.head(f"/runs/{run.pk}/video.mp4")["ETag"]
        for known in (tag, f'"x", W/{tag}'):
            response = as_alice.get(f"/runs/{run.pk}/video.mp4", headers={"If-None-Match": known})
            assert (response.status_code, body(response)) == (304, b"")
            assert response["ETag"] == tag

    def test_looking_at_its_head_sends_no_body(self, as_alice: Client, run: Run) -> None:
        response = as_alice.head(f"/runs/{run.pk}/video.mp4", headers={"Range": "bytes=0-9"})
        assert response.status_code == 200
        assert response["Content-Length"] == str(SIZE)
        assert response["ETag"] == '"final-abcdefabcdef"'
