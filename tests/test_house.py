"""The house rules that no linter knows: what may be imported, how big a module may be, what it may be called."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

ROOT = Path(__file__).parent.parent
MODULES = [path for folder in ("agent", "benchmarks", "embedded", "webapp") for path in (ROOT / folder).rglob("*.py")]
SAY_NOTHING = {"utils", "helpers", "common", "manager", "service", "services", "misc"}

IMPORT_EVERYTHING = """
import importlib, pkgutil, sys, threading
for name in ("django", "torch", "trl", "transformers"):
    sys.modules[name] = None
import agent
before = threading.active_count()
for module in pkgutil.walk_packages(agent.__path__, "agent."):
    if ".guest" not in module.name and ".scenes" not in module.name and not module.name.endswith("__main__"):
        importlib.import_module(module.name)
assert threading.active_count() == before, "an import started a thread"
assert "manim" not in sys.modules, "an import pulled manim in"
"""


def run(command: list[str], **options: Any) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, capture_output=True, text=True, check=False, **options)


def test_the_agent_imports_silently_without_django_torch_or_manim(tmp_path: Path) -> None:
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), "HOME": str(tmp_path)}
    done = run([sys.executable, "-c", IMPORT_EVERYTHING], cwd=tmp_path, env=environment)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert list(tmp_path.iterdir()) == []


IMPORT_THE_WEB_APP = """
import os, pkgutil, importlib, threading
os.environ["DJANGO_SETTINGS_MODULE"] = "webapp.settings"
import django
django.setup()
before = threading.active_count()
import webapp
for module in pkgutil.walk_packages(webapp.__path__, "webapp."):
    if ".migrations" not in module.name and module.name != "webapp.wsgi":  # which is the application
        importlib.import_module(module.name)
assert threading.active_count() == before, "an import started a thread"
"""


def test_the_web_app_imports_silently_and_without_services(tmp_path: Path) -> None:
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), "HOME": str(tmp_path), "SECRET_KEY": "x"}
    done = run([sys.executable, "-c", IMPORT_THE_WEB_APP], cwd=tmp_path, env=environment)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert list(tmp_path.iterdir()) == []


def test_no_template_or_page_holds_inline_script_or_style() -> None:
    for template in (ROOT / "templates").rglob("*.html"):
        text = template.read_text(encoding="utf-8")
        assert not re.search(r"<style|<script(?![^>]*\ssrc=)|\son\w+=|\sstyle=|javascript:", text), template


def test_models_and_migrations_agree(db: None) -> None:
    call_command("makemigrations", check=True, dry_run=True, verbosity=0)


@pytest.mark.parametrize("module", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_modules_are_small_and_say_what_they_hold(module: Path) -> None:
    assert len(module.read_text(encoding="utf-8").splitlines()) < 600
    assert module.stem not in SAY_NOTHING


def test_ci_runs_what_a_person_runs() -> None:
    lines = (ROOT / ".ci" / "run").read_text().splitlines()
    assert lines[1:] == ['exec bash "$(dirname "$0")/../test"']


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that every user may enter, as pytest's own folders are not."""
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)


def test_setup_without_root_or_sudo_prints_the_exact_apt_line_and_stops(open_folder: Path) -> None:
    for command in ("tr", "id"):
        (open_folder / command).symlink_to(shutil.which(command) or pytest.fail(f"{command} is not installed"))
    copy = shutil.copy(ROOT / "embedded" / "setup.sh", open_folder)
    as_nobody = ["setpriv", "--reuid=65534", "--clear-groups"] if os.geteuid() == 0 else []
    script = f"source {copy}; PATH={open_folder}; setup_system /bin/true; echo left with $?"
    done = run([*as_nobody, "/bin/bash", "-c", script], cwd="/", stdin=subprocess.DEVNULL)
    assert done.stdout == "left with 1\n"
    line = done.stderr.splitlines()[-1]
    assert line.startswith("  sudo apt-get install -y --no-install-recommends pkg-config libcairo2-dev")
    assert "gcc" in line


def test_setup_installs_only_what_is_missing() -> None:
    script = f"source {ROOT}/embedded/setup.sh; setup_missing_packages {sys.executable}"
    done = run(["/bin/bash", "-c", script])
    assert done.stdout == "", "this environment runs the tests, so nothing can be missing"
