"""Reads the Dockerfile, compose.yaml and docs/deploy.md, so that every name in them can be looked up."""

import json
import re
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import yaml

# The innermost first: a default may hold another variable.
VARIABLE = re.compile(r"\$\{(?P<name>\w+)(?:(?P<kind>:[-?])(?P<rest>[^${}]*))?\}")
SECRETS = {"SECRET_KEY": "a-secret", "POSTGRES_PASSWORD": "another"}
OPERATORS = {"&&", "|", ">", "<", ";"}


@dataclass
class Stage:
    """One stage of the Dockerfile: its instructions, each a word and what follows, in their order."""

    name: str
    base: str
    instructions: list[tuple[str, str]] = field(default_factory=list)

    def all(self, word: str) -> list[str]:
        return [rest for instruction, rest in self.instructions if instruction == word]

    def last(self, word: str) -> str:
        return next(iter(reversed(self.all(word))), "")

    def commands(self, *words: str) -> Iterator[list[str]]:
        """The simple commands of these instructions."""
        for word in words:
            for rest in self.all(word):
                yield from commands(rest)

    @property
    def environment(self) -> dict[str, str]:
        return dict(pair.split("=", 1) for rest in self.all("ENV") for pair in shlex.split(rest))


def read_dockerfile(text: str) -> dict[str, Stage]:
    """Its stages by name, in their order."""
    lines = [line for line in text.splitlines() if not line.lstrip().startswith("#")]
    stages: dict[str, Stage] = {}
    for instruction in re.sub(r"\\\n", " ", "\n".join(lines)).splitlines():
        word, _, rest = instruction.strip().partition(" ")
        if word == "FROM":
            base, _, name = rest.split()
            stages[name] = Stage(name, base)
        elif word:
            list(stages.values())[-1].instructions.append((word, rest.strip()))
    return stages


def lineage(stages: Mapping[str, Stage], name: str) -> list[Stage]:
    """A stage and what it is built on, the stage itself last."""
    found: list[Stage] = []
    while name in stages:
        found.insert(0, stages[name])
        name = stages[name].base
    return found


def commands(line: str) -> Iterator[list[str]]:
    """The simple commands of a shell line or of a JSON list, without the variables that are set before them."""
    if line.startswith("["):
        yield json.loads(line)
        return
    words = shlex.shlex(line, posix=True, punctuation_chars=True)
    words.whitespace_split = True
    command: list[str] = []
    for word in [*words, ";"]:
        if word in OPERATORS:
            if command:
                yield command
            command = []
        elif command or not re.fullmatch(r"\w+=.*", word):
            command.append(word)


def set_before(line: str) -> set[str]:
    """The variables that a shell line sets for one of its commands."""
    return set(re.findall(r"(?:^|\s)([A-Z]\w*)=", line))


def read_compose(text: str, given: Mapping[str, str]) -> dict[str, Any]:
    """compose.yaml with its variables filled in: from `given`, else their defaults."""
    while VARIABLE.search(text):
        text = VARIABLE.sub(
            lambda match: given.get(match["name"], match["rest"] if match["kind"] == ":-" else ""), text
        )
    return yaml.safe_load(text)


def variables(text: str) -> dict[str, str]:
    """The variables that compose.yaml asks for, and the kind of each: `:-` a default, `:?` required."""
    return dict(re.findall(r"\$\{(\w+)(:[-?])?", text))


def words(command: str | list[str]) -> list[str]:
    """A compose command as a list."""
    return shlex.split(command) if isinstance(command, str) else command


def shell_blocks(markdown: str) -> Iterator[str]:
    """The lines of the code blocks of a document, and its inline code."""
    for block in re.findall(r"```\n(.*?)```", markdown, re.DOTALL):
        yield from block.splitlines()
    yield from re.findall(r"`([^`\n]+)`", re.sub(r"```.*?```", "", markdown, flags=re.DOTALL))


def documented_settings(markdown: str) -> set[str]:
    """The names in the first column of tables whose head says `setting`."""
    names: set[str] = set()
    inside = False
    for line in markdown.splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        inside = line.startswith("|") and (inside or cells[0] == "setting")
        if inside:
            names |= set(re.findall(r"`(\w+)`", cells[0]))
    return names


@dataclass(frozen=True)
class Shipped:
    """The three texts, as they are or with something broken."""

    dockerfile: str
    compose: str
    deploy: str

    @cached_property
    def stages(self) -> dict[str, Stage]:
        return read_dockerfile(self.dockerfile)

    @cached_property
    def services(self) -> dict[str, dict[str, Any]]:
        return self.read["services"]

    @cached_property
    def read(self) -> dict[str, Any]:
        """compose.yaml as Docker would see it with nothing but the secrets in `.env`."""
        return read_compose(self.compose, SECRETS)

    def commands(self) -> list[list[str]]:
        """Every command of ours in all three."""
        found = [command for stage in self.stages.values() for command in stage.commands("RUN", "CMD")]
        found += [words(service["command"]) for service in self.services.values() if "command" in service]
        texts = [text for text in shell_blocks(self.deploy) if re.search(r"manage\.py \w|gunicorn \w", text)]
        return found + [command for text in texts for command in commands(text)]


def image(service: dict[str, Any]) -> str:
    """The name of its image, without the version."""
    return str(service.get("image", "")).rpartition(":")[0]
