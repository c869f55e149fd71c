"""From a model's answer to a program: fences, prose around them, several blocks, thoughts, cut-off text.

`extract_block` is the paper's rule (PAPERS A3: the last CODE block, else the last Python fence). `extract_scene`
is ours: the block that holds a scene, joined with the blocks before it only if both parse together.
"""

import ast
import re

from agent.types import ErrorKind, FinishReason, Record

FENCE = re.compile(r"^[ \t]*(`{3,}|~{3,})[ \t]*([\w+-]*)[^\n]*\n(.*?)(?:^[ \t]*\1[`~]*[ \t]*$|\Z)", re.S | re.M)
CODE_TAG = re.compile(r"<\s*code\s*>(.*?)(?:<\s*/?\s*code\s*/?\s*>|\Z)", re.S | re.I)
THOUGHT = re.compile(r"<think>.*?(?:</think>|\Z)", re.S)
SCENE_CLASS = re.compile(r"^class\s+\w+\s*\([^)]*\w*Scene\w*", re.M)
CODE_START = re.compile(r"^(?:from|import|class|def)\s+\w", re.M)
PYTHON_NAMES = {"", "python", "py", "python3", "manim"}


class Extraction(Record):
    """A program, or why there is none. `code` may stand beside an error: it is kept and shown, never rendered."""

    code: str = ""
    error_kind: ErrorKind | None = None
    message: str = ""
    line: int | None = None


def extract_block(answer: str, finish_reason: FinishReason) -> Extraction:
    """The paper's extraction; whatever is found is rendered, so only an answer without code is an error here."""
    del finish_reason  # the paper does not look at it
    tagged = CODE_TAG.findall(answer)
    text = tagged[-1] if tagged else answer
    blocks = fenced_blocks(text)
    if blocks:
        return Extraction(code=blocks[-1])
    if tagged and text.strip():
        return Extraction(code=text.strip() + "\n")
    return no_code(answer)


def extract_scene(answer: str, finish_reason: FinishReason) -> Extraction:
    """Our extraction: a program that parses and holds a scene, or a typed reason why a render would be wasted."""
    text = THOUGHT.sub("", answer)
    blocks = fenced_blocks(text) or unfenced_program(text)
    if not blocks:
        return no_code(answer)
    code = choose(blocks)
    fault = syntax_fault(code)
    if fault and finish_reason is FinishReason.LENGTH:
        message = "The answer was cut off at the token limit before the program was complete."
        return Extraction(code=code, error_kind=ErrorKind.TRUNCATED, message=message)
    if fault:
        return Extraction(code=code, error_kind=ErrorKind.SYNTAX, message=fault[0], line=fault[1])
    if "class " not in code:
        message = "The program holds no scene: a class that derives from Scene, with a construct method."
        return Extraction(code=code, error_kind=ErrorKind.NO_SCENE, message=message)
    return Extraction(code=code)


def fenced_blocks(text: str) -> list[str]:
    """The Python fences in order; an unclosed last fence runs to the end."""
    return [
        body.strip("\n") + "\n"
        for _, language, body in FENCE.findall(text)
        if language.lower() in PYTHON_NAMES and body.strip()
    ]


def unfenced_program(text: str) -> list[str]:
    """A program written without any fence: from its first line of code to the last line that still parses."""
    if not SCENE_CLASS.search(text):
        return []
    start = CODE_START.search(text)
    lines = text[start.start() if start else 0 :].rstrip().split("\n")
    for end in range(len(lines), max(0, len(lines) - 40), -1):
        candidate = "\n".join(lines[:end]) + "\n"
        if SCENE_CLASS.search(candidate) and syntax_fault(candidate) is None:
            return [candidate]
    return ["\n".join(lines) + "\n"]


def choose(blocks: list[str]) -> str:
    """The last block that holds a scene and parses (models correct themselves), with the blocks it builds on."""
    with_scene = [index for index, block in enumerate(blocks) if SCENE_CLASS.search(block)]
    if not with_scene:
        return blocks[-1]
    sound = [index for index in with_scene if syntax_fault(blocks[index]) is None]
    chosen = (sound or with_scene)[-1]
    before = [block for index, block in enumerate(blocks[:chosen]) if index not in with_scene and declares(block)]
    joined = "\n".join([*before, blocks[chosen]])
    return joined if before and syntax_fault(joined) is None else blocks[chosen]


def declares(block: str) -> bool:
    """Whether a block only imports and defines things, so that the scene after it may need it."""
    if syntax_fault(block):
        return False
    declarations = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.ClassDef, ast.Assign, ast.AnnAssign)
    return all(isinstance(node, declarations) for node in ast.parse(block).body)


def syntax_fault(code: str) -> tuple[str, int | None] | None:
    """None if the program parses, else the fault as Python says it, and its line."""
    try:
        ast.parse(code)
    except SyntaxError as error:
        return f"{type(error).__name__}: {error.msg}", error.lineno
    except (ValueError, RecursionError, MemoryError) as error:  # null bytes; nesting without end
        return f"SyntaxError: {error}", None
    return None


def same_program(first: str, second: str) -> bool:
    """Whether two texts are one program, whatever their comments and blank lines say."""
    if first.strip() == second.strip():
        return True
    try:
        return ast.dump(ast.parse(first)) == ast.dump(ast.parse(second))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False


def no_code(answer: str) -> Extraction:
    """An answer without a program, told apart by whether anything was said at all."""
    message = "The model answered with words but no program." if answer.strip() else "The model gave an empty answer."
    return Extraction(error_kind=ErrorKind.NO_CODE, message=message)
