"""Looks up in the program itself what the Dockerfile, compose.yaml and docs/deploy.md name: files, stages, commands,
settings, services. Each check gives the faults that it finds, as sentences."""

import ast
import importlib.util
import re
from pathlib import Path

import shipped
from django.core.management import CommandError, get_commands, load_command_class
from django.urls import Resolver404, resolve
from gunicorn.config import Config

from agent.config import Settings
from webapp.environment import Environment

ROOT = Path(__file__).parents[2]
SETTINGS = {
    str(field.validation_alias or name.upper())
    for source in (Environment, Settings)
    for name, field in source.model_fields.items()
}
# What the images that are not ours document, and Python's and the shell's own.
IMAGE_VARIABLES = {
    "postgres": {"POSTGRES_USER", "POSTGRES_PASSWORD", "POSTGRES_DB", "POSTGRES_INITDB_ARGS"},
    "vllm/vllm-openai": {"VLLM_API_KEY", "HF_TOKEN"},
    "python": {"PATH", "PYTHONUNBUFFERED"},
}
ONLY_FOR_COMPOSE = {"POSTGRES_PASSWORD", "PORT", "HF_TOKEN"}
# A volume anywhere else would lose the data with the container.
KEPT = {"postgres": "/var/lib/postgresql", "valkey/valkey": "/data", "vllm/vllm-openai": "/root/.cache/huggingface"}
SHIPPED = ("web", "worker")


def stages_and_images(files: shipped.Shipped) -> list[str]:
    faults = []
    seen: set[str] = set()
    for stage in files.stages.values():
        if stage.base not in seen and not re.fullmatch(r"python:3\.\d+-slim-bookworm", stage.base):
            faults.append(f"{stage.name} is built on {stage.base}")
        seen.add(stage.name)
    for name, service in files.services.items():
        build = service.get("build")
        if build and (build["target"] not in files.stages or not (ROOT / build["context"] / "Dockerfile").exists()):
            faults.append(f"{name} builds {build['target']}, which is no stage")
        if not build and not re.fullmatch(r"[\w/-]+:v?\d+(\.\d+)+", service["image"]):
            faults.append(f"the image {service['image']} is not pinned")
    return faults


def copied_files(files: shipped.Shipped) -> list[str]:
    faults = []
    let_in = {line[1:] for line in (ROOT / ".dockerignore").read_text("utf-8").splitlines() if line.startswith("!")}
    written = Path(files.stages["runtime"].environment["PROOFREEL_DATA"]) / "static"
    for stage in files.stages.values():
        for rest in stage.all("COPY"):
            flags = dict(word.split("=", 1) for word in rest.split() if word.startswith("--"))
            *sources, _ = [word for word in rest.split() if not word.startswith("--")]
            if source := flags.get("--from"):
                places = [lineage.last("WORKDIR") for lineage in shipped.lineage(files.stages, source)]
                faults += [f"{source} has no {path}" for path in sources if path not in (*places, str(written))]
            else:
                faults += [f"{path} is not there" for path in sources if not (ROOT / path).exists()]
                faults += [f"{path} is kept out by .dockerignore" for path in sources if path not in let_in]
    return faults


def our_commands(files: shipped.Shipped) -> list[str]:
    return [fault for command in files.commands() for fault in command_faults(command)]


def command_faults(command: list[str]) -> list[str]:
    if "manage.py" in command:
        name, *options = command[command.index("manage.py") + 1 :]
        return manage_faults(name, options)
    if "gunicorn" in command:
        return gunicorn_faults(command[command.index("gunicorn") + 1 :])
    if "-m" in command and importlib.util.find_spec(command[command.index("-m") + 1]) is None:
        return [f"there is no module for {' '.join(command)}"]
    if "-r" in command and not (ROOT / command[command.index("-r") + 1]).exists():
        return [f"there is no file of requirements for {' '.join(command)}"]
    return []


def manage_faults(name: str, options: list[str]) -> list[str]:
    app = get_commands().get(name)
    if app is None:
        return [f"there is no manage.py {name}"]
    try:
        load_command_class(app, name).create_parser("manage.py", name).parse_args(options)
    except CommandError as error:
        return [f"manage.py {name}: {error}"]
    return []


def gunicorn_faults(arguments: list[str]) -> list[str]:
    try:
        read = Config().parser().parse_args(arguments)
        module = importlib.import_module(read.args[0])
    except (SystemExit, ImportError) as error:
        return [f"gunicorn {' '.join(arguments)}: {error!r}"]
    return [] if callable(getattr(module, "application", None)) else [f"{read.args[0]} has no application"]


def rights(files: shipped.Shipped) -> list[str]:
    """Nobody is root, nothing holds a compiler, signals arrive, and only the worker is let out of Docker's profiles."""
    faults = []
    for name in SHIPPED:
        line = shipped.lineage(files.stages, name)
        user = next((stage.last("USER") for stage in reversed(line) if stage.last("USER")), "root")
        made = {command[-1] for stage in line for command in stage.commands("RUN") if command[0] == "useradd"}
        if user not in made:
            faults.append(f"{name} runs as {user}")
        faults += [f"{name} holds {package}" for package in packages(line) if re.search(r"-dev$|^gcc|^build-", package)]
    for name, service in files.services.items():
        allowed = set(service.get("security_opt", []))
        if "build" in service and (service.get("cap_drop") != ["ALL"] or "no-new-privileges:true" not in allowed):
            faults.append(f"{name} keeps rights that it does not need")
        if "build" in service and not service.get("init"):
            faults.append(f"{name} would be process 1, which a signal does not end")
        if service.get("privileged") or (name != "worker" and any("unconfined" in option for option in allowed)):
            faults.append(f"{name} is unconfined")
    return faults


def packages(line: list[shipped.Stage]) -> list[str]:
    """The Debian packages that these stages install."""
    commands = [command for stage in line for command in stage.commands("RUN")]
    installs = [command[2:] for command in commands if command[:2] == ["apt-get", "install"]]
    return [word for words in installs for word in words if not word.startswith("-")]


def variables(files: shipped.Shipped) -> list[str]:
    faults = []
    for stage in files.stages.values():
        named = set(stage.environment) | {name for rest in stage.all("RUN") for name in shipped.set_before(rest)}
        faults += [f"{name} is no setting" for name in named - SETTINGS - IMAGE_VARIABLES["python"]]
        if "SECRET_KEY" in stage.environment:
            faults.append("a secret is part of an image")
    for name, service in files.services.items():
        known = SETTINGS if "build" in service else IMAGE_VARIABLES.get(shipped.image(service), set())
        faults += [f"{variable} is no setting of {name}" for variable in set(service.get("environment", {})) - known]
    asked = shipped.variables(files.compose)
    faults += [f"{name} has a default" for name in shipped.SECRETS if asked.get(name) != ":?"]
    faults += [f"{name} is asked for and is no setting" for name in set(asked) - SETTINGS - ONLY_FOR_COMPOSE]
    told = shipped.documented_settings(files.deploy)
    faults += [f"docs/deploy.md does not tell of {name}" for name in asked if name not in told]
    return faults


def volumes(files: shipped.Shipped) -> list[str]:
    faults = []
    used = set()
    for name, service in files.services.items():
        mounts = dict(mount.split(":", 1) for mount in service.get("volumes", []))
        used |= set(mounts)
        if shipped.image(service) in KEPT and KEPT[shipped.image(service)] not in mounts.values():
            faults.append(f"{name} keeps its data nowhere")
        if name in SHIPPED:
            own = files.stages["runtime"].environment
            faults += [
                f"{name} mounts {place}, which the image does not prepare"
                for place in mounts.values()
                if place not in files.stages["runtime"].last("RUN").split() or not place.startswith(tuple(own.values()))
            ]
    declared = set(files.read["volumes"])
    return faults + [f"the volume {name} is declared or used, not both" for name in declared ^ used]


def dependencies(files: shipped.Shipped) -> list[str]:
    faults = []
    for name, service in files.services.items():
        for other, needed in service.get("depends_on", {}).items():
            found = files.services.get(other)
            if found is None:
                faults.append(f"{name} waits for {other}, which is no service")
            elif needed["condition"] == "service_healthy" and not found.get("healthcheck", {}).get("test"):
                faults.append(f"{name} waits for the health of {other}, which has no check")
            elif needed["condition"] == "service_completed_successfully" and found.get("restart") != "no":
                faults.append(f"{name} waits for the end of {other}, which starts again")
            elif found.get("profiles") and not service.get("profiles") and needed.get("required", True):
                faults.append(f"{name} cannot start without the profile of {other}")
    return faults


def addresses(files: shipped.Shipped) -> list[str]:
    faults = []
    worker, postgres = files.services["worker"]["environment"], files.services["postgres"]["environment"]
    for name in ("DATABASE_URL", "REDIS_URL", "LLM_BASE_URL"):
        host = re.search(r"(?://|@)([\w-]+):\d+/", worker[name])
        if host is None or host[1] not in files.services:
            faults.append(f"{name} leads to no service: {worker[name]}")
    identity = f"{postgres['POSTGRES_USER']}:{postgres['POSTGRES_PASSWORD']}@postgres:5432/{postgres['POSTGRES_DB']}"
    if worker["DATABASE_URL"] != f"postgresql://{identity}":
        faults.append("DATABASE_URL is not what Postgres is set up with")
    if worker["LLM_MODEL"] not in files.services["vllm"]["command"]:
        faults.append("the workers ask for a model that vLLM does not serve")
    return faults


def ports_and_health(files: shipped.Shipped) -> list[str]:
    web, faults = files.stages["web"], []
    port = web.last("EXPOSE")
    if not web.last("CMD").endswith(f'"--bind", "0.0.0.0:{port}"]'):
        faults.append(f"gunicorn does not listen on {port}")
    published = files.services["web"]["ports"]
    if [mapping.rpartition(":")[2] for mapping in published] != [port] or not published[0].startswith("127.0.0.1:"):
        faults.append(f"the page is published as {published}")
    check = web.last("HEALTHCHECK")
    ast.parse(next(shipped.commands(check[check.index("[") :]))[2])
    asked = re.search(r"http://127\.0\.0\.1:(\d+)(/\w+)", check)
    try:
        found = asked and resolve(asked[2]).view_name
    except Resolver404:
        found = None
    if asked is None or asked[1] != port or found != "core:health":
        faults.append(f"the health check asks for nothing of ours: {check}")
    published_elsewhere = [name for name, service in files.services.items() if name != "web" and "ports" in service]
    return faults + [f"{name} is open to the host" for name in published_elsewhere]


CHECKS = [
    stages_and_images,
    copied_files,
    our_commands,
    rights,
    variables,
    volumes,
    dependencies,
    addresses,
    ports_and_health,
]
