"""One supervisor for a data folder, and what it writes down for others."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from embedded.child import EmbeddedError
from embedded.instance import Instance
from embedded.settings import read_settings


def instance(data: Path) -> Instance:
    return Instance(read_settings({"PROOFREEL_DATA": str(data)}))


def test_only_one_has_the_right_to_run_on_a_folder(tmp_path):
    first, second = instance(tmp_path / "data"), instance(tmp_path / "data")
    assert first.claim()
    assert not second.claim()
    first.release()
    assert second.claim()
    second.release()


def test_what_is_written_down_is_for_its_owner_only_and_gone_at_the_end(tmp_path):
    one, other = instance(tmp_path), instance(tmp_path)
    assert one.claim()
    one.write_status({"ready": True})
    one.write_environment({"DATABASE_URL": "ours"})
    assert other.status()["ready"] is True
    assert other.environment() == {"DATABASE_URL": "ours"}
    for name in ("status.json", "environment.json"):
        assert (tmp_path / "run" / name).stat().st_mode & 0o777 == 0o600
    one.release()
    assert other.status() is None
    assert [path.name for path in (tmp_path / "run").iterdir()] == ["lock"]


def test_the_sockets_folder_is_private_short_and_gone_at_the_end(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / ("long" * 20)))
    one = instance(tmp_path / "data")
    one.claim()
    assert one.sockets.stat().st_mode & 0o777 == 0o700
    assert len(str(one.sockets)) < 60
    (one.sockets / "left.sock").touch()
    one.release()
    assert not one.sockets.exists()


def test_what_one_that_was_killed_left_behind_is_cleared_away(tmp_path):
    script = (
        "import os, signal\n"
        "from embedded.instance import Instance\n"
        "from embedded.settings import read_settings\n"
        f"one = Instance(read_settings({{'PROOFREEL_DATA': {str(tmp_path)!r}}}))\n"
        "one.claim(); one.write_status({}); one.write_environment({}); print(one.sockets, flush=True)\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    killed = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    sockets = Path(killed.stdout.strip())
    assert sockets.is_dir()
    one = instance(tmp_path)
    assert one.claim()
    assert one.after_crash
    assert not sockets.exists()
    assert one.environment() is None
    one.release()


def test_a_folder_that_cannot_be_used_is_one_sentence(tmp_path):
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(
        EmbeddedError, match=r"data folder .*file/data cannot be used: Not a directory; set PROOFREEL_DATA"
    ):
        instance(tmp_path / "file" / "data")


def test_nobody_else_may_look_into_what_belongs_to_the_users(tmp_path):
    instance(tmp_path / "data")
    for name in ("run", "log", "media", "work"):
        assert (tmp_path / "data" / name).stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize(("options", "sentence"), [("size=8m", "The disk is full"), ("ro", "Read-only file system")])
def test_a_disk_that_is_full_or_may_not_be_written_is_one_sentence(tmp_path, options, sentence):
    namespace = ["unshare", "--mount", "--map-root-user", "--"]
    if subprocess.run([*namespace, "mount", "-t", "tmpfs", "tmpfs", str(tmp_path)]).returncode:
        pytest.skip("no mounting here")
    script = f"mount -t tmpfs -o {options} tmpfs {tmp_path} && exec {sys.executable} -P -m embedded --check"
    done = subprocess.run(
        [*namespace, "sh", "-c", script],
        env=os.environ | {"PROOFREEL_DATA": str(tmp_path / "data"), "PYTHONPATH": str(Path(__file__).parents[2])},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 3
    assert done.stderr.count("\n") == 1
    assert sentence in done.stderr
    assert "PROOFREEL_DATA" in done.stderr
    assert done.stdout == ""
