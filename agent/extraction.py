"""From a model's answer to a program: fences, prose around them, several blocks, thoughts, cut-off text.

`extract_block` is the paper's rule (PAPERS A3: the last CODE block, else the last Python fence). `extract_scene`
is ours: the block that holds a scene, joined with the blocks before it only if both parse together.
"""

import ast
import re
import textwrap

from agent.types import ErrorKind, FinishReason, Record

FENCE = re.compile(r"[ \t]*(`{3,}|~{3,})[ \t]*([\w+-]*)[^`~]*$")
CODE_TAG = re.compile(
    r"<[ \t]{0,3}code[ \t]{0,3}>(.*?)(?:<[ \t]{0,3}/?[ \t]{0,3}code[ \t]{0,3}/?[ \t]{0,3}>|\Z)", re.S | re.I
)
THOUGHT = re.compile(r"<think>.*?(?:</think>|\Z)", re.S)
CLASS_LINE = re.compile(r"^class[ \t]+\w+[ \t]*\(([^)\n]*)", re.M)
CODE_START = re.compile(r"^(?:from|import|class|def)\s+\w", re.M)
PYTHON_NAMES = {"", "python", "py", "python3", "manim"}


class Extraction(Record):
    """A program, or why there is none. `code` may stand beside an error: it is kept and shown, never rendered."""

    code: str = ""
    error_kind: ErrorKind | None = None
    message: str = ""
    line: int | None = None


class Block(Record):
    """One fenced text; `closed` is False when the answer ended inside it."""

    code: str
    closed: bool = True


def extract_block(answer: str, finish_reason: FinishReason) -> Extraction:
    """The paper's extraction; whatever is found is rendered, so only an answer without code is an error here."""
    del finish_reason  # the paper does not look at it
    tagged = [text for text in CODE_TAG.findall(answer) if fenced_blocks(text)]
    blocks = fenced_blocks(tagged[-1] if tagged else answer)
    if blocks:
        return Extraction(code=blocks[-1].code)
    bare = CODE_TAG.findall(answer)
    if bare and "\n" in bare[-1].strip():
        return Extraction(code=bare[-1].strip() + "\n")
    return no_code(answer)


def extract_scene(answer: str, finish_reason: FinishReason) -> Extraction:
    """Our extraction: a program that parses and holds a scene, or a typed reason why a render would be wasted."""
    text = THOUGHT.sub("", answer)
    cut = finish_reason is FinishReason.LENGTH
    blocks = fenced_blocks(text) or unfenced_program(text, cut)
    if not blocks:
        return no_code(answer)
    code, closed = choose(blocks)
    fault = syntax_fault(code)
    if cut and (fault or not closed):
        message = "The answer was cut off at the token limit before the program was complete."
        return Extraction(code=code, error_kind=ErrorKind.TRUNCATED, message=message)
    if fault:
        return Extraction(code=code, error_kind=ErrorKind.SYNTAX, message=fault[0], line=fault[1])
    if "class " not in code:
        message = "The program holds no scene: a class that derives from Scene, with a construct method."
        return Extraction(code=code, error_kind=ErrorKind.NO_SCENE, message=message)
    return Extraction(code=code)


def fenced_blocks(text: str) -> list[Block]:
    """The Python fences in order; an unclosed last fence runs to the end. A fence in a list is moved to the margin.

    Read line by line: an answer may be a megabyte of anything, and a pattern over the whole of it can backtrack.
    """
    blocks: list[Block] = []
    fence, wanted, body = "", False, list[str]()
    for line in [*text.split("\n"), None]:
        if fence and (line is None or closes(line, fence)):
            code = textwrap.dedent("\n".join(body)).strip("\n") + "\n"
            if wanted and code.strip():
                blocks.append(Block(code=code, closed=line is not None))
            fence = ""
        elif fence and line is not None:
            body.append(line)
        elif line is not None and (opening := FENCE.match(line)):
            fence, wanted, body = opening[1], opening[2].lower() in PYTHON_NAMES, []
    return blocks


def closes(line: str, fence: str) -> bool:
    """Whether a line ends the fence: the same sign at least as often, and nothing else."""
    marks = line.strip()
    return len(marks) >= len(fence) and set(marks) == {fence[0]}


def unfenced_program(text: str, cut: bool) -> list[Block]:
    """A program written without any fence: from its first line of code to the words that follow it, if any do."""
    if not holds_scene(text):
        return []
    start = CODE_START.search(text)
    lines = text[start.start() if start else 0 :].rstrip().split("\n")
    program = lines
    while not cut and len(program) > 1 and syntax_fault("\n".join(program)) and is_prose(program[-1]):
        program = program[:-1]
    return [Block(code="\n".join(program) + "\n", closed=not cut)]


def is_prose(line: str) -> bool:
    """Whether a line at the end may be words about the program: nothing of a scene stands at the margin there."""
    return not line.startswith((" ", "\t"))


def holds_scene(text: str) -> bool:
    """Whether a class derives from something that is called a scene."""
    return any("Scene" in bases for bases in CLASS_LINE.findall(text))


def choose(blocks: list[Block]) -> tuple[str, bool]:
    """The last block that holds a scene and parses (models correct themselves), with the blocks it builds on."""
    with_scene = [index for index, block in enumerate(blocks) if holds_scene(block.code)]
    if not with_scene:
        return blocks[-1].code, blocks[-1].closed
    sound = [index for index in with_scene if syntax_fault(blocks[index].code) is None]
    chosen = (sound or with_scene)[-1]
    code, closed = blocks[chosen].code, blocks[chosen].closed
    before = [block.code for i, block in enumerate(blocks[:chosen]) if i not in with_scene and declares(block.code)]
    joined = "\n".join([*before, code])
    return (joined if before and syntax_fault(joined) is None else code), closed


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
