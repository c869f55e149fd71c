"""Between a bare machine and a filled .venv: what is done again, and the sentences when something is missing."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

SETUP = Path(__file__).parents[2] / "embedded" / "setup.sh"
# Stands in for the interpreter of .venv: notes how pip is called, and ends as the file `pip-says` wants.
PIP = """#!/bin/bash
[ "$3" = install ] || exit 0
echo "$@" >>calls
[ -e pip-says ] || exit 0
cat pip-says >&2
exit 1
"""


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A folder with two locks and a .venv whose pip only takes notes."""
    (tmp_path / "one.txt").write_text("one==1\n")
    (tmp_path / "two.txt").write_text("two==2\n")
    python = tmp_path / ".venv" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.write_text(PIP)
    python.chmod(0o755)
    return tmp_path


def setup(folder: Path, *locks: str, before: str = "") -> subprocess.CompletedProcess[str]:
    script = f"set -euo pipefail; source {SETUP}; {before} setup {' '.join(locks)}"
    environment = os.environ | {"PYTHON": sys.executable}
    return subprocess.run(["bash", "-c", script], cwd=folder, env=environment, capture_output=True, text=True)


def calls(folder: Path) -> list[str]:
    return (folder / "calls").read_text().splitlines()


def test_what_is_installed_is_not_installed_again_in_whatever_company(checkout):
    assert setup(checkout, "one.txt", "two.txt").returncode == 0
    for locks in (("one.txt", "two.txt"), ("one.txt",), ("two.txt",)):
        done = setup(checkout, *locks)
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert len(calls(checkout)) == 1


def test_a_lock_that_is_new_or_has_changed_is_installed(checkout):
    setup(checkout, "one.txt")
    setup(checkout, "one.txt", "two.txt")
    (checkout / "one.txt").write_text("one==3\n")
    setup(checkout, "one.txt")
    setup(checkout, "one.txt", "two.txt")
    assert len(calls(checkout)) == 3
    assert calls(checkout)[0].endswith("--require-hashes -r one.txt")
    assert calls(checkout)[1].endswith("--require-hashes -r one.txt -r two.txt")


@pytest.mark.parametrize(
    ("pip", "sentence"),
    [
        ("OSError: [Errno 28] No space left on device", "the disk is full"),
        ("WARNING: connection broken by 'NewConnectionError'", "the package registry cannot be reached"),
        ("ERROR: THESE PACKAGES DO NOT MATCH THE HASHES", "pip said why above"),
    ],
)
def test_an_installation_that_fails_is_one_sentence_and_is_tried_again_next_time(checkout, pip, sentence):
    (checkout / "pip-says").write_text(f"{pip}\n")
    done = setup(checkout, "one.txt")
    assert done.returncode != 0
    assert sentence in done.stderr.splitlines()[-1]
    assert pip in done.stderr
    (checkout / "pip-says").unlink()
    assert setup(checkout, "one.txt").returncode == 0
    assert len(calls(checkout)) == 2


MISSING = "setup_missing_packages() { printf 'gcc\\npkg-config\\n'; }; "
COMMAND = "apt-get install -y --no-install-recommends gcc pkg-config"


def test_whoever_may_not_install_packages_is_told_what_to_type(checkout):
    nobody = f"{MISSING} id() {{ echo 1000; }}; sudo() {{ return 1; }}; apt-get() {{ echo never; }};"
    done = setup(checkout, "one.txt", before=nobody)
    assert done.returncode != 0
    assert "Please run this, then start again" in done.stderr
    assert f"  sudo {COMMAND}" in done.stderr
    assert "never" not in done.stdout


def test_packages_that_cannot_be_fetched_are_one_sentence(checkout):
    done = setup(checkout, "one.txt", before=f"{MISSING} id() {{ echo 0; }}; apt-get() {{ return 100; }};")
    assert done.returncode != 0
    assert "could not be installed (is there a network" in done.stderr
    assert f"  {COMMAND}" in done.stderr


def test_a_machine_without_python_names_it_among_the_packages():
    script = f"source {SETUP}; setup_missing_packages"
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True)
    assert {"python3", "python3-venv", "python3-dev", "libseccomp2"} <= set(done.stdout.split())


def test_a_disk_without_room_is_said_before_anything_is_made(tmp_path):
    (tmp_path / "one.txt").write_text("one==1\n")
    done = setup(tmp_path, "one.txt", before="df() { printf 'head\\n/dev/x 1 1 12 99%% /\\n'; };")
    assert done.returncode != 0
    assert done.stderr.startswith("The disk is full: there are 12 MB free")
    assert not (tmp_path / ".venv").exists()
