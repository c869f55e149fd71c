"""From a render to Issues, and the order of candidates by how much a viewer would mind."""

from agent.types import Critique, ErrorKind, Issue, IssueSource, Iteration, Render, Severity, Verdict

HINTS = {
    ErrorKind.NO_CODE: "Answer with one Python program in a ```python block.",
    ErrorKind.TRUNCATED: "Write a shorter program, under 40 lines.",
    ErrorKind.NO_SCENE: "Define one class that derives from Scene and give it a construct method.",
}


def failure_issue(render: Render) -> Issue:
    """The one Issue of a render that gave no video."""
    kind = render.error_kind or ErrorKind.INFRASTRUCTURE
    source = IssueSource.RENDERER
    if kind in (ErrorKind.NO_CODE, ErrorKind.TRUNCATED, ErrorKind.SYNTAX, ErrorKind.NO_SCENE):
        source = IssueSource.STATIC
    return Issue(
        kind=kind.value,
        severity=Severity.ERROR,
        source=source,
        message=render.message,
        line=render.line,
        hint=HINTS.get(kind, ""),
    )


def unchanged_issue() -> Issue:
    """A follow-up asked for a change and got the same program back."""
    return Issue(
        kind="unchanged",
        severity=Severity.ERROR,
        source=IssueSource.STATIC,
        message="The program was not changed.",
        hint="Make the change that was asked for.",
    )


def critique_of(issues: list[Issue]) -> Critique:
    """Issues without doubles, worst first, and the verdict that their severities ask for."""
    order = {Severity.ERROR: 0, Severity.WARNING: 1, Severity.NOTE: 2}
    unique = list({(issue.kind, issue.line, issue.t_start): issue for issue in issues}.values())
    unique.sort(key=lambda issue: (order[issue.severity], issue.t_start or 0.0))
    blocked = any(issue.severity is Severity.ERROR for issue in unique)
    return Critique(verdict=Verdict.REPAIR if blocked else Verdict.ACCEPT, issues=tuple(unique))


def rank(iteration: Iteration) -> tuple[int, int]:
    """Higher is better: fewer errors first, then fewer warnings."""
    issues = iteration.critique.issues if iteration.critique else ()
    errors = sum(1 for issue in issues if issue.severity is Severity.ERROR)
    warnings = sum(1 for issue in issues if issue.severity is Severity.WARNING)
    return -errors, -warnings
