"""The words of the product as frozen records: what a Run is made of, and what `run.json` holds.

Everything that crosses a boundary (disk, socket, database, model) is one of these. Paths in them are
relative to the run folder, so a Run can be moved or stored elsewhere. Times are seconds, money is US dollars.
"""

import re
from enum import StrEnum
from typing import Annotated, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

SCHEMA_VERSION = 1


class Record(BaseModel):
    """Base of every record: immutable, and an unknown field is an error rather than a silent loss."""

    model_config = ConfigDict(frozen=True, extra="forbid")


SURROGATES = re.compile("[\ud800-\udfff]")


def without_surrogates(text: object) -> object:
    """Halves of characters, from broken bytes or broken servers, cannot be stored: each becomes U+FFFD."""
    return SURROGATES.sub("\ufffd", text) if isinstance(text, str) else text


StorableText = Annotated[str, BeforeValidator(without_surrogates)]


class Motion(StrEnum):
    """Whether the viewer expects movement. `auto` is decided once per prompt, before the first call."""

    AUTO = "auto"
    STILL = "still"
    ANIMATED = "animated"


class Quality(StrEnum):
    """Pixel height and frames per second of a render."""

    P480_15 = "480p15"
    P720_30 = "720p30"
    P1080_30 = "1080p30"
    P1080_60 = "1080p60"


class StrategyName(StrEnum):
    VANILLA = "vanilla"
    RITL = "ritl"
    FULL = "full"


class Outcome(StrEnum):
    """How a Run ended, for the person who asked."""

    ACCEPTED = "accepted"
    BEST_EFFORT = "best_effort"
    FAILED = "failed"
    CANCELED = "canceled"


class StopReason(StrEnum):
    """Why a Run ended when it did."""

    ACCEPTED = "accepted"
    STEP_LIMIT = "step_limit"
    TIME_LIMIT = "time_limit"
    TOKEN_LIMIT = "token_limit"
    COST_LIMIT = "cost_limit"
    REPEATED_ERROR = "repeated_error"
    MODEL_ERROR = "model_error"
    INFRASTRUCTURE = "infrastructure"
    BAD_PROMPT = "bad_prompt"
    CANCELED = "canceled"
    CRASHED = "crashed"


class ErrorKind(StrEnum):
    """Why an iteration has no video."""

    NO_CODE = "no_code"
    TRUNCATED = "truncated"
    SYNTAX = "syntax"
    NO_SCENE = "no_scene"
    PYTHON = "python"
    LATEX = "latex"
    TIMEOUT = "timeout"
    MEMORY = "memory"
    OUTPUT_LIMIT = "output_limit"
    FORBIDDEN = "forbidden"
    INFRASTRUCTURE = "infrastructure"


class Severity(StrEnum):
    """An error blocks acceptance, a warning asks for one improvement turn, a note is only shown."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


class IssueSource(StrEnum):
    STATIC = "static"
    RENDERER = "renderer"
    LAYOUT = "layout"
    PIXELS = "pixels"
    VISUAL = "visual"
    HUMAN = "human"


class Verdict(StrEnum):
    ACCEPT = "accept"
    REPAIR = "repair"
    GIVE_UP = "give_up"


class CallRole(StrEnum):
    """What a model call was made for."""

    PLAN = "plan"
    QUESTIONS = "questions"
    WRITE = "write"
    DOCS = "docs"
    REPAIR = "repair"
    REVISE = "revise"
    REVIEW = "review"
    QUERY = "query"


class IterationKind(StrEnum):
    WRITE = "write"
    DOCS = "docs"
    REPAIR = "repair"
    REVISE = "revise"
    EDIT = "edit"


class Author(StrEnum):
    MODEL = "model"
    RULE = "rule"
    HUMAN = "human"


class FinishReason(StrEnum):
    """Why the model stopped writing, in the words of the OpenAI protocol."""

    STOP = "stop"
    LENGTH = "length"
    CONTENT_FILTER = "content_filter"
    TOOL_CALLS = "tool_calls"
    CANCELED = "canceled"
    UNKNOWN = "unknown"


class Stage(StrEnum):
    """Where a Run stands, as the person watching sees it."""

    QUEUED = "queued"
    WAITING_FOR_PROCESSOR = "waiting_for_processor"
    PLANNING = "planning"
    AWAITING_APPROVAL = "awaiting_approval"
    WRITING = "writing"
    CHECKING = "checking"
    DRAFTING = "drafting"
    REVIEWING = "reviewing"
    FINISHING = "finishing"
    DONE = "done"


class Prompt(Record):
    """What was asked for: the sentence and its options."""

    text: StorableText
    motion: Motion = Motion.AUTO
    quality: Quality = Quality.P480_15


class Message(Record):
    """One chat message."""

    role: Literal["system", "user", "assistant"]
    content: str


class Usage(Record):
    """What a model call, or a whole Run, used. `seconds` leaves out waiting for a processor or for a retry."""

    input_tokens: int = 0
    output_tokens: int = 0
    seconds: float = 0.0
    cost: float = 0.0

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(
            input_tokens=self.input_tokens + other.input_tokens,
            output_tokens=self.output_tokens + other.output_tokens,
            seconds=self.seconds + other.seconds,
            cost=self.cost + other.cost,
        )


class Call(Record):
    """One model call. `iteration` is the index of the iteration that it was made for."""

    role: CallRole
    iteration: int
    messages: tuple[Message, ...]
    completion: str
    finish_reason: FinishReason
    usage: Usage


class Frame(Record):
    """One sampled picture of a video: a PNG encoded by us from decoded pixels."""

    path: str
    t: float


class Render(Record):
    """One execution of one code text at one quality.

    `traceback_tail` holds the last lines as they came (at most 10), `message` one cleaned sentence for people and
    models, `line` the line of the *generated* file. `wall_s` is the time of the sandboxed processes.
    """

    ok: bool
    error_kind: ErrorKind | None = None
    error_symbol: str | None = None
    message: str = ""
    traceback_tail: str = ""
    line: int | None = None
    video: str | None = None
    still: str | None = None
    frames: tuple[Frame, ...] = ()
    scene: str | None = None
    scenes_skipped: tuple[str, ...] = ()
    animations: int = 0
    duration_s: float | None = None
    wall_s: float = 0.0
    cached: bool = False


class Issue(Record):
    """One thing that is wrong with a code text or its video, where and when."""

    kind: str
    severity: Severity
    source: IssueSource
    message: str
    t_start: float | None = None
    t_end: float | None = None
    line: int | None = None
    hint: str = ""


class Critique(Record):
    """Ordered, de-duplicated Issues and the verdict computed from their severities."""

    verdict: Verdict
    issues: tuple[Issue, ...] = ()


class Iteration(Record):
    """One turn that ends in a code text, its Render and its Critique. `candidates` counts the completions drawn."""

    index: int
    kind: IterationKind
    author: Author = Author.MODEL
    parent: int | None = None
    code: str
    docs_used: tuple[str, ...] = ()
    candidates: int = 1
    render: Render | None = None
    critique: Critique | None = None


class Score(Record):
    """A named value, or *unscored*: None with the reason in `explanation`, never a silent 0."""

    name: str
    value: float | None
    explanation: str = ""


class Plan(Record):
    """What the scene will show, in order, before any code."""

    text: str


class Question(Record):
    """A yes/no question about the result. `check` answers it without a model."""

    id: str
    text: str
    answer: bool | Literal["unsure"] | None = None
    source: str = ""
    time: float | None = None


class FollowUp(Record):
    """A change asked for after a Run: in words, as marked issues, or as edited code. It makes a new Run."""

    text: str = ""
    parent_run: str
    from_iteration: Iteration
    issues: tuple[Issue, ...] = ()
    code: str | None = None
    plan: Plan | None = None


class Run(Record):
    """One attempt of the agent at a Prompt with one config, model and seed: the content of `run.json`."""

    schema_version: int = SCHEMA_VERSION
    id: str
    prompt: Prompt
    strategy: StrategyName
    model: str
    seed: int
    versions: dict[str, str] = Field(default_factory=dict)
    outcome: Outcome | None = None
    stop_reason: StopReason | None = None
    message: str = ""
    final_video: str | None = None
    best_iteration: int | None = None
    usage: Usage = Usage()
    parent_run: str | None = None
    parent_iteration: int | None = None
    final_render: Render | None = None
    plan: Plan | None = None
    questions: tuple[Question, ...] = ()
    scores: tuple[Score, ...] = ()
    wall_s: float = 0.0
    render_s: float = 0.0
    wait_s: float = 0.0
    overhead_s: float = 0.0
    calls: tuple[Call, ...] = ()
    iterations: tuple[Iteration, ...] = ()
