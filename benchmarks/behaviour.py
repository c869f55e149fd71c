"""A strategy's behaviour version: it changes when what the strategy does may have changed, and only then.

It hashes prompts, examples and modules, Python without comments, formatting and docstrings; never the commit.
"""

import ast
import hashlib
from importlib.metadata import version
from pathlib import Path

from agent.types import StrategyName

AGENT = Path(__file__).parent.parent / "agent"

# What renders and what answers; the documentation of the installed Manim is also where examples come from.
PACKAGES = ("manim", "xllamacpp", "quickjax", "fontpkg-inter")

EVERY_STRATEGY = (
    "loop.py",
    "session.py",
    "beginning.py",
    "config.py",
    "workbench.py",
    "extraction.py",
    "messages.py",
    "motion.py",
    "strategies/strategy.py",
    "prompt_check.py",
    "clock.py",
    "strategies/__init__.py",
    "models/client.py",
    "models/stream.py",
    "models/model.py",
    "models/server.py",
    "critique/*.py",
    "renderer/**/*.py",
)
PAPER = ("strategies/paper.py", "prompts/paper_*.j2")
OWN = {
    StrategyName.VANILLA: PAPER,
    StrategyName.RITL: (*PAPER, "prompts/ritl_*.j2"),
    StrategyName.FULL: (
        "strategies/full.py",
        "prompts/full_*.j2",
        "retrieval/*.py",
        "examples/**/*.py",
    ),
}


def behaviour_versions() -> dict[StrategyName, str]:
    """Twelve hex digits for what each strategy is made of now. Ask before anything is measured: what runs is what was
    imported, not what an editor has saved since."""
    return {strategy: behaviour_version(strategy) for strategy in StrategyName}


def behaviour_version(strategy: StrategyName) -> str:
    """The version of one strategy. Raises ValueError when a file that it names is gone."""
    digest = hashlib.sha256()
    for package in PACKAGES:
        digest.update(f"{package}=={version(package)}\n".encode())
    for path in sources(strategy):
        digest.update(path.relative_to(AGENT).as_posix().encode())
        digest.update(essence(path).encode())
    return digest.hexdigest()[:12]


def sources(strategy: StrategyName) -> list[Path]:
    """The files of a strategy, in a fixed order."""
    found: set[Path] = set()
    for pattern in (*EVERY_STRATEGY, *OWN[strategy]):
        matches = set(AGENT.glob(pattern))
        if not matches:
            raise ValueError(f"no file of the agent is called {pattern}")
        found |= matches
    return sorted(found)


def essence(path: Path) -> str:
    """A file without what cannot change behaviour. Examples count as written: the model reads them."""
    text = path.read_text(encoding="utf-8")
    if path.suffix != ".py" or "scenes" in path.parts:
        return text
    tree = ast.parse(text)
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) and has_docstring(node):
            node.body = node.body[1:] or [ast.Pass()]
    return ast.unparse(tree)


def has_docstring(node: ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Whether the first statement is a string."""
    first = node.body[0] if node.body else None
    return isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str)
