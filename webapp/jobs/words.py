"""What is written in the database as one word, in sentences for the person who reads the page."""

from collections.abc import Mapping
from datetime import timedelta

from django.utils import timezone

from agent.types import ErrorKind, IterationKind, Motion, Outcome, Quality, Severity, Stage, StopReason, StrategyName
from webapp.jobs.models import OPEN, Run, Status

STAGES: Mapping[str, str] = {
    Stage.QUEUED: "Waiting in the queue",
    Stage.WAITING_FOR_PROCESSOR: "Waiting for a free processor",
    Stage.PLANNING: "Planning the scene",
    Stage.AWAITING_APPROVAL: "Waiting for your approval",
    Stage.WRITING: "Writing the program",
    Stage.CHECKING: "Checking the program",
    Stage.DRAFTING: "Drawing a draft",
    Stage.REVIEWING: "Looking at the draft",
    Stage.FINISHING: "Rendering the final video",
    Stage.DONE: "Finishing",
}

# How far into its turn a stage is, for the bar.
SHARES: Mapping[str, float] = {
    Stage.PLANNING: 0.1,
    Stage.AWAITING_APPROVAL: 0.15,
    Stage.WRITING: 0.2,
    Stage.CHECKING: 0.4,
    Stage.DRAFTING: 0.6,
    Stage.REVIEWING: 0.9,
}

# Ends whose own message is the fault of a program or a server: what that means is said first.
EXPLAINED = (
    StopReason.STEP_LIMIT,
    StopReason.REPEATED_ERROR,
    StopReason.MODEL_ERROR,
    StopReason.INFRASTRUCTURE,
    StopReason.CRASHED,
)
ENDS: Mapping[str, str] = {
    StopReason.STEP_LIMIT: "All the tries that were allowed are used up, and each had an error.",
    StopReason.TIME_LIMIT: "The time for this job was used up.",
    StopReason.TOKEN_LIMIT: "The model's budget of tokens for this job was used up.",
    StopReason.COST_LIMIT: "The budget for this job was used up.",
    StopReason.REPEATED_ERROR: "The same error came back three times, so more tries would not have helped.",
    StopReason.MODEL_ERROR: "The model gave no answer. This is not your prompt's fault.",
    StopReason.INFRASTRUCTURE: "A part of this service failed.",
    StopReason.BAD_PROMPT: "This prompt cannot be worked on.",
    StopReason.CRASHED: "The work broke off unexpectedly.",
}
# The same in a few words, for tables.
REASONS: Mapping[str, str] = {
    StopReason.ACCEPTED: "Accepted",
    StopReason.STEP_LIMIT: "Every try had an error",
    StopReason.TIME_LIMIT: "Out of time",
    StopReason.TOKEN_LIMIT: "Out of tokens",
    StopReason.COST_LIMIT: "Out of budget",
    StopReason.REPEATED_ERROR: "The same error again and again",
    StopReason.MODEL_ERROR: "The model gave no answer",
    StopReason.INFRASTRUCTURE: "A part of ours failed",
    StopReason.BAD_PROMPT: "The prompt cannot be worked on",
    StopReason.CANCELED: "Canceled",
    StopReason.CRASHED: "The work broke off",
}

ERRORS: Mapping[str, str] = {
    ErrorKind.NO_CODE: "The model's answer held no program",
    ErrorKind.TRUNCATED: "The model's answer was cut off before the program ended",
    ErrorKind.SYNTAX: "The program is not valid Python",
    ErrorKind.NO_SCENE: "The program defines no scene to draw",
    ErrorKind.PYTHON: "The program stopped with an error",
    ErrorKind.LATEX: "A formula could not be typeset",
    ErrorKind.TIMEOUT: "Drawing took longer than is allowed",
    ErrorKind.MEMORY: "Drawing needed more memory than is allowed",
    ErrorKind.OUTPUT_LIMIT: "The video grew larger than is allowed",
    ErrorKind.FORBIDDEN: "The program tried something that is not allowed here",
    ErrorKind.INFRASTRUCTURE: "The renderer failed, which is not the program's fault",
}

KINDS: Mapping[str, str] = {
    IterationKind.WRITE: "first version",
    IterationKind.DOCS: "written again with documentation",
    IterationKind.REPAIR: "repair",
    IterationKind.REVISE: "revision",
    IterationKind.EDIT: "edit",
}
AUTHORS: Mapping[str, str] = {"model": "by the model", "rule": "by a rule", "human": "by you"}
SEVERITIES = {Severity.ERROR: "Error", Severity.WARNING: "Warning", Severity.NOTE: "Note"}

MOTIONS = {
    Motion.AUTO: "Decide from the prompt",
    Motion.ANIMATED: "Animated: something moves",
    Motion.STILL: "Still: one picture",
}
QUALITIES = {
    Quality.P480_15: "480p, 15 frames a second (quick)",
    Quality.P720_30: "720p, 30 frames a second",
    Quality.P1080_30: "1080p, 30 frames a second",
    Quality.P1080_60: "1080p, 60 frames a second (slow)",
}
STRATEGIES = {
    StrategyName.FULL: "Full: repair what looks wrong",
    StrategyName.RITL: "Renderer loop: repair what fails",
    StrategyName.VANILLA: "One try: no repair",
}
STATUSES: Mapping[str, str] = {
    Status.QUEUED: "Waiting",
    Status.STARTED: "Working",
    Status.FINISHED: "Finished",
    Status.FAILED: "Failed",
    Status.CANCELED: "Canceled",
}
SCORES: Mapping[str, str] = {
    "render_ok": "Drawn",
    "duration_s": "Length of the video",
    "tokens": "Tokens",
    "seconds": "Time",
    "cost": "Cost",
    "findings_error": "Errors found",
    "findings_warning": "Warnings found",
    "findings_note": "Notes",
    "drawn_share": "Share of the picture that is drawn on",
    "moving_share": "Share of the time in which something moves",
    "checks_true": "Checks answered true",
}


def stage_line(run: Run, position: int, tries: int) -> str:
    """Where a Run stands, in one sentence; `tries` is how many Iterations it has."""
    if run.status == Status.QUEUED:
        return queued_line(run, position)
    if run.status == Status.STARTED and run.stop_requested_at:
        return "Stopping"
    if run.status == Status.STARTED and run.stage == Stage.QUEUED:
        return "Starting"
    if run.status == Status.STARTED:
        words = STAGES.get(run.stage, run.stage)
        return words if run.stage in (Stage.FINISHING, Stage.DONE) else f"{words} · try {tries + 1}"
    return end_line(run)


def queued_line(run: Run, position: int) -> str:
    """Who is ahead, or how long a part that was down is given to come back."""
    if run.not_before and run.not_before > timezone.now():
        return "Waiting to try again"
    return f"{STAGES[Stage.QUEUED]} · {position} ahead of you" if position else "Waiting in the queue · you are next"


def end_line(run: Run) -> str:
    """What came of a Run that is over."""
    if run.outcome == Outcome.ACCEPTED:
        return "Finished"
    if run.outcome == Outcome.BEST_EFFORT:
        return "Finished, but not everything is right"
    if run.outcome == Outcome.CANCELED or run.status == Status.CANCELED:
        return "Canceled"
    return "No video came of this"


def attempt_line(run: Run) -> str:
    """How an attempt stands, in a list of attempts."""
    return STATUSES[run.status] if run.status in OPEN else end_line(run)


def tile_chip(status: str, outcome: str | None) -> tuple[str, str]:
    """Colour and words of a Job in the history; `outcome` is that of its latest Run."""
    if status == Status.FINISHED and outcome == Outcome.BEST_EFFORT:
        return "warning", "Finished with open issues"
    return status, STATUSES[status]


def why_ended(run: Run) -> list[str]:
    """How a Run ended in its own words, after what that means where it does not say so itself."""
    if run.outcome == Outcome.CANCELED:
        return []
    own = [run.message] if run.message else []
    says_more = not own or run.stop_reason in EXPLAINED
    return [ENDS[run.stop_reason], *own] if says_more and run.stop_reason in ENDS else own


def retry_in_s(run: Run) -> float:
    """Seconds until a Run that waits for a part of ours is tried again; 0 when it may go on now."""
    if run.status != Status.QUEUED or run.not_before is None:
        return 0.0
    return max(0.0, (run.not_before - timezone.now()) / timedelta(seconds=1))


def title_mark(run: Run) -> str:
    """The beginning of the document's title, so that a tab in the background tells how its job stands."""
    if run.status == Status.QUEUED:
        return "Waiting … "
    if run.status == Status.STARTED:
        return "Working … "
    if run.outcome == Outcome.ACCEPTED:
        return "✓ "
    if run.outcome == Outcome.BEST_EFFORT:
        return "! "
    return "Canceled: " if run.status == Status.CANCELED else "✗ "


def progress_percent(run: Run, tries: int) -> int:
    """How far along a Run is: nobody knows how many tries there will be, so each halves what is left. It goes back
    only when the Run goes back into the queue. Waiting counts as the stage that is waited for."""
    if run.status not in (Status.QUEUED, Status.STARTED):
        return 100
    if run.status == Status.QUEUED and not tries:
        return 0
    stage = run.stage_detail if run.stage == Stage.WAITING_FOR_PROCESSOR else run.stage
    if stage in (Stage.FINISHING, Stage.DONE):
        return 95
    left: float = 0.5 ** (tries + SHARES.get(stage, 0.0))
    return round(90 * (1 - left))


def clock(seconds: float) -> str:
    """A moment of a video as its player shows it: 0:03."""
    return f"{int(seconds) // 60}:{int(seconds) % 60:02}"


def duration(seconds: float) -> str:
    """A span of time: 5 s, 1 min 05 s, 2 h 03 min. The script that ticks writes the same."""
    whole = int(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02} s"
    return f"{whole // 3600} h {whole % 3600 // 60:02} min"


def score_value(name: str, value: float) -> str:
    """The value of a score with its unit."""
    if name == "render_ok":
        return "yes" if value else "no"
    if name.endswith("_s") or name == "seconds":
        return f"{value:.1f} s"
    if name == "cost":
        return f"${value:.4f}" if value else "$0"
    return f"{value:,.0f}" if value == int(value) else f"{value:.3f}"
