"""A strategy's behaviour version: it changes when what the strategy does may have changed, and only then.

It hashes prompts, examples and modules, Python without comments, formatting and docstrings; never the commit.
"""

import ast
import hashlib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from agent.types import StrategyName

AGENT = Path(__file__).parent.parent / "agent"

EVERY_STRATEGY = (
    "loop.py",
    "session.py",
    "workbench.py",
    "extraction.py",
    "messages.py",
    "motion.py",
    "strategies/strategy.py",
    "models/client.py",
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


@cache
def behaviour_version(strategy: StrategyName) -> str:
    """Twelve hex digits for what the strategy was made of when this process first asked."""
    digest = hashlib.sha256()
    for path in sources(strategy):
        digest.update(path.relative_to(AGENT).as_posix().encode())
        digest.update(essence(path).encode())
    return digest.hexdigest()[:12]


def sources(strategy: StrategyName) -> Iterator[Path]:
    """The files of a strategy, in a fixed order."""
    patterns = (*EVERY_STRATEGY, *OWN[strategy])
    yield from sorted({path for pattern in patterns for path in AGENT.glob(pattern)})


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
