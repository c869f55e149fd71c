"""What the page of a Job shows of one Iteration, and in its player."""

import re
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django.core.files.storage import default_storage
from django.db.models.fields.files import FieldFile
from django.urls import reverse
from django.utils.safestring import SafeString

from agent.critique.verdict import rank
from agent.plain_text import clean
from agent.types import ErrorKind, Issue, Motion, Score, Severity
from agent.types import Iteration as IterationRecord
from webapp.jobs import words
from webapp.jobs.highlighting import highlighted
from webapp.jobs.history import iteration_record
from webapp.jobs.models import Iteration, Run

# What a score says that costs nothing: models of one's own do.
FREE = words.score_value("cost", 0)
INSTALLED = re.compile(r"(?<=File \")[^\"]*/site-packages/")


@dataclass(frozen=True)
class IssueLine:
    """One finding: how bad, what, and where in the program and the video."""

    severity: str
    label: str
    text: str
    place: str

    @classmethod
    def of(cls, issue: Issue) -> "IssueLine":
        """The line of an Issue."""
        places = [f"line {issue.line}"] if issue.line else []
        if issue.t_start is not None:
            end = issue.t_end if issue.t_end is not None else issue.t_start
            start = words.clock(issue.t_start)
            places.append(f"at {start}" if words.clock(end) == start else f"from {start} to {words.clock(end)}")
        return cls(issue.severity.value, words.SEVERITIES[issue.severity], clean(issue.message), ", ".join(places))


@dataclass(frozen=True)
class ScoreLine:
    """One score: its name in words, its value, and what explains it; `value` empty means not scored."""

    name: str
    label: str
    value: str
    explanation: str

    @classmethod
    def of(cls, stored: dict[str, Any]) -> "ScoreLine":
        """The line of a stored Score."""
        score = Score.model_validate(stored)
        value = "" if score.value is None else words.score_value(score.name, score.value)
        # Why nothing was drawn stands on the card, in words for people.
        explanation = "" if score.name == "render_ok" and value else clean(score.explanation)
        return cls(score.name, words.SCORES.get(score.name, score.name), value, explanation)


@dataclass(frozen=True)
class Card:
    """One Iteration. `previous` is the one before it, which says why this one was tried."""

    row: Iteration
    previous: "Card | None" = None

    @property
    def number(self) -> int:
        """What people count from one."""
        return self.row.index + 1

    @property
    def anchor(self) -> str:
        """Its id on the page."""
        return f"try-{self.number}"

    @property
    def what(self) -> str:
        """Kind and author in words."""
        kind = words.KINDS.get(self.row.kind, self.row.kind)
        return f"{kind}, {words.AUTHORS.get(self.row.author, self.row.author)}"

    @cached_property
    def record(self) -> IterationRecord:
        """The Iteration in the agent's words."""
        return iteration_record(self.row)

    @property
    def is_drawn(self) -> bool:
        """Whether there is a picture of it."""
        return bool(self.record.render and self.record.render.ok)

    @property
    def is_clean(self) -> bool:
        """Whether nothing speaks against it."""
        return self.is_drawn and not self.open_issues

    @property
    def chip(self) -> tuple[str, str]:
        """Colour and words for what came of it. The checks know whether it runs and moves, not whether it is right."""
        if self.is_clean:
            return "good", "drawn" if self.row.still else "runs and moves"
        return ("warning", "drawn, with issues") if self.is_drawn else ("failed", "no video")

    @property
    def error(self) -> str:
        """What went wrong with its render, in plain words; empty when it was drawn."""
        render = self.record.render
        if render is None or render.ok:
            return ""
        return words.ERRORS[render.error_kind or ErrorKind.INFRASTRUCTURE]

    @property
    def message(self) -> str:
        """The renderer's own sentence."""
        return clean(self.record.render.message) if self.record.render else ""

    @property
    def traceback(self) -> str:
        """The last lines of the program's error, without the place where this is installed."""
        return INSTALLED.sub("", clean(self.record.render.traceback_tail)) if self.record.render else ""

    @property
    def line(self) -> int | None:
        """The line of the program that the error names."""
        return self.record.render.line if self.record.render else None

    @property
    def issues(self) -> list[IssueLine]:
        """What was found, worst first. The Issue that only repeats a render's error is left out."""
        critique, render = self.record.critique, self.record.render
        issues = critique.issues if critique else ()
        said = render.message if render and not render.ok else None
        return [IssueLine.of(issue) for issue in issues if issue.message != said]

    @property
    def open_issues(self) -> list[IssueLine]:
        """Errors and warnings: what somebody who uses the video has to know."""
        return [line for line in self.issues if line.severity != Severity.NOTE]

    @property
    def reason(self) -> str:
        """Why there is a try after this one."""
        if self.error:
            return self.error
        return self.open_issues[0].text.rstrip(".") if self.open_issues else ""

    @cached_property
    def code_html(self) -> SafeString:
        """Its program, highlighted."""
        return highlighted(self.row.code, self.line)

    @property
    def scores(self) -> list[ScoreLine]:
        """Measured values, unscored ones among them."""
        return [ScoreLine.of(score) for score in self.row.scores]

    @property
    def used(self) -> list[str]:
        """What it used, in a few words."""
        values = {line.name: line.value for line in self.scores}
        tokens = f"{values['tokens']} tokens" if values.get("tokens") else ""
        cost = values.get("cost", "")
        return [part for part in (tokens, values.get("seconds", ""), cost if cost != FREE else "") if part]

    @cached_property
    def picture(self) -> "Picture":
        """Its video or still."""
        base = (self.row.run_id, self.row.index)
        poster = reverse("jobs:iteration_file", args=(*base, "poster.png")) if self.row.poster else ""
        video = Picture.of(self.row.video, "video", reverse("jobs:iteration_file", args=(*base, "video.mp4")), poster)
        still = Picture.of(self.row.still, "still", reverse("jobs:iteration_file", args=(*base, "still.png")), poster)
        return still if still.kind != "nothing" else video  # there is a still only where nothing moves

    @property
    def code_url(self) -> str:
        """Where its program is downloaded."""
        return reverse("jobs:iteration_file", args=(self.row.run_id, self.row.index, "scene.py"))


@dataclass(frozen=True)
class Picture:
    """Something to look at: `kind` is video, still, gone (its file is lost) or nothing (there is none yet)."""

    kind: str
    key: str = ""
    url: str = ""
    poster: str = ""
    caption: str = ""

    @classmethod
    def of(cls, file: FieldFile, kind: str, url: str, poster: str) -> "Picture":
        """The picture of a stored file; `key` names its content."""
        if not file.name:
            return cls("nothing")
        return cls(kind if default_storage.exists(file.name) else "gone", file.name, url, poster)

    def with_caption(self, caption: str) -> "Picture":
        """The same, with words below it."""
        return Picture(self.kind, self.key, self.url, self.poster, caption)


NOTHING_YET = Picture("nothing")


def cards_of(rows: list[Iteration]) -> list[Card]:
    """The cards of a Run's Iterations, in order."""
    cards: list[Card] = []
    for row in rows:
        cards.append(Card(row, cards[-1] if cards else None))
    return cards


def best_of(run: Run, cards: list[Card]) -> Card | None:
    """The one that was delivered, else the best so far: fewest errors, and among equals the first."""
    for card in cards:
        if card.row.index == run.best_iteration:
            return card
    drawn = [card for card in cards if card.is_drawn]
    return max(drawn, key=lambda card: rank(card.record)) if drawn else None


def player_of(run: Run, best: Card | None) -> Picture:
    """What stands at the centre of the page: the final video, else the best so far."""
    place = (run.pk,)
    poster = best.picture.poster if best else ""
    video = Picture.of(run.final_video, "video", reverse("jobs:final_file", args=(*place, "video.mp4")), poster)
    still = Picture.of(run.final_still, "still", reverse("jobs:final_file", args=(*place, "still.png")), poster)
    is_still = run.prompt.get("motion") == Motion.STILL
    for final in (still, video) if is_still else (video, still):
        if final.kind != "nothing":
            return final
    if best is None:
        return NOTHING_YET
    return best.picture.with_caption(f"The best so far: the draft of try {best.number}.")
