"""What the page of a Job shows at one moment, gathered in one or two queries beside the one that found the Run."""

from dataclasses import dataclass
from functools import cached_property
from urllib.parse import urlencode

from django.db.models import F, Sum
from django.urls import reverse
from django.utils import timezone

from agent.prompt_check import undrawn_script
from agent.types import Motion, Outcome, Quality, Severity, StrategyName
from webapp.jobs import words
from webapp.jobs.cards import Card, IssueLine, Picture, best_of, cards_of, player_of
from webapp.jobs.forms import AskForm
from webapp.jobs.models import Iteration, Job, Run, Status

# What a person gets who chooses nothing; most prompts are found to want motion.
USUAL = {name: field.initial for name, field in AskForm.base_fields.items()} | {"motion": Motion.ANIMATED}
# A heading is this long at most; the rest is behind a fold.
HEADING_CHARACTERS = 240
HEADING_LINES = 4


@dataclass(frozen=True)
class Seen:
    """What a browser says it shows already: the cursor of its last answer, its Run and cards, and its picture."""

    cursor: str = ""
    run: str = ""
    cards: int = 0
    picture: str = ""

    @classmethod
    def by(cls, values: "dict[str, str]") -> "Seen":
        """From a request's values, of which each may be missing or nonsense."""
        cards = small_number(values.get("cards", "")) or 0
        return cls(values.get("cursor", ""), values.get("run", ""), cards, values.get("picture", ""))


def small_number(text: str) -> int | None:
    """A small number as a query string holds it; None for everything else."""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 6 else None


def cursor_of(run: Run) -> str:
    """Changes when anything on the page of the Job whose latest Run this is does."""
    return f"{run.job.version}.{run.position}"


@dataclass(frozen=True)
class Watch:
    """One Run of a Job. Templates read from it; nothing in it writes."""

    run: Run
    cards: list[Card]
    is_latest: bool = True

    @property
    def job(self) -> Job:
        return self.run.job

    @property
    def is_live(self) -> bool:
        """Whether more will happen that this page shows."""
        return self.is_latest and self.job.is_open

    @property
    def stage_line(self) -> str:
        return words.stage_line(self.run, self.run.position, len(self.cards))

    @property
    def title(self) -> str:
        return f"{words.title_mark(self.run)}{self.job.text[:60]}"

    @property
    def percent(self) -> int:
        return words.progress_percent(self.run, len(self.cards))

    @property
    def elapsed(self) -> str:
        return words.duration(self.elapsed_s)

    @property
    def elapsed_s(self) -> float:
        """Seconds since it was asked for, until its end; counted here, so that no other clock matters."""
        end = self.run.ended_at or timezone.now()
        return max(0.0, (end - self.run.queued_at).total_seconds())

    @property
    def retry_in_s(self) -> float:
        return words.retry_in_s(self.run)

    @property
    def retry_in(self) -> str:
        return words.duration(self.retry_in_s)

    @property
    def why_ended(self) -> list[str]:
        return words.why_ended(self.run) if self.run.ended_at else []

    @property
    def end_level(self) -> str:
        """How good or bad the end is, for its colour."""
        return {Outcome.ACCEPTED: "success", Outcome.BEST_EFFORT: "warning"}.get(Outcome(self.run.outcome), "error")

    @property
    def is_stopping(self) -> bool:
        return self.run.stop_requested_at is not None

    @cached_property
    def best(self) -> Card | None:
        return best_of(self.run, self.cards)

    @cached_property
    def player(self) -> Picture:
        return player_of(self.run, self.best)

    @property
    def picture_key(self) -> str:
        """Changes when the player has something else to show, be it that nothing will come."""
        return self.player.key or ("coming" if self.is_live else "none")

    @property
    def open_issues(self) -> list[IssueLine]:
        """What is wrong with a video that is delivered all the same."""
        return self.best.open_issues if self.best and self.run.outcome == Outcome.BEST_EFFORT else []

    @property
    def numbers(self) -> list[tuple[str, str]]:
        """Where the seconds went, what was used, and what the Run was made with."""
        run, tokens = self.run, Sum(F("input_tokens") + F("output_tokens"))
        used = run.calls.aggregate(tokens=tokens, seconds=Sum("seconds"), cost=Sum("cost"))
        seconds = {
            "Time in all": run.wall_s,
            "Time of the model": used["seconds"] or 0.0,
            "Time of the renderer": run.render_s,
            "Waiting for a processor": run.wait_s,
            "Everything else": run.overhead_s,
        }
        return [
            *((name, words.score_value("seconds", value)) for name, value in seconds.items()),
            ("Tokens", words.score_value("tokens", used["tokens"] or 0)),
            ("Cost", words.score_value("cost", used["cost"] or 0.0)),
            ("Model", run.model),
            ("Seed", str(run.seed)),
            *((name, str(version)) for name, version in run.versions.items()),
        ]

    @property
    def is_long(self) -> bool:
        """Whether the prompt is longer than a heading should be."""
        return len(self.job.text) > HEADING_CHARACTERS or self.job.text.count("\n") >= HEADING_LINES

    @property
    def undrawn_script(self) -> str | None:
        """A script in the prompt that the shipped font cannot draw."""
        return undrawn_script(self.job.text)

    @property
    def options(self) -> list[str]:
        """What was asked for beside the words, where it is not what everybody gets."""
        prompt, repairs = self.run.prompt, self.run.config.get("repairs")
        chosen = {
            "motion": (prompt["motion"], words.MOTIONS[Motion(prompt["motion"])].split(":")[0]),
            "quality": (prompt["quality"], words.QUALITIES[Quality(prompt["quality"])].split(",")[0]),
            "strategy": (self.run.strategy, words.STRATEGIES[StrategyName(self.run.strategy)].split(":")[0]),
            "repairs": (repairs, f"{repairs} repairs at most" if repairs != 1 else "1 repair at most"),
        }
        return [told for name, (value, told) in chosen.items() if value != USUAL[name]]

    @property
    def downloads(self) -> list[tuple[str, str, bool]]:
        """Labels and addresses of what was delivered, that which was asked for first, and whether it is what one would
        take: nothing with an error is."""
        is_there = self.player.kind != "gone"
        video = ("Download the video", "video.mp4", bool(self.run.final_video) and is_there)
        still = ("Download the picture", "still.png", bool(self.run.final_still) and is_there)
        program = ("Download the program", "scene.py", self.run.best_iteration is not None)
        pictures = (still, video) if self.run.prompt["motion"] == Motion.STILL else (video, still)
        found = [(label, name) for label, name, is_wanted in (*pictures, program) if is_wanted]
        is_good = not any(issue.severity == Severity.ERROR for issue in self.open_issues)
        return [
            (
                label,
                reverse("jobs:final_file", args=(self.run.pk, name)) + "?download",
                is_good and place == 0 and name != "scene.py",
            )
            for place, (label, name) in enumerate(found)
        ]

    @property
    def has_failed(self) -> bool:
        """Whether other words might do better."""
        return self.run.status == Status.FAILED

    @property
    def poll_query(self) -> str:
        """What the browser sends back, so that the next answer holds only what it has not."""
        return urlencode(
            {
                "cursor": cursor_of(self.run),
                "run": self.run.number,
                "cards": len(self.cards),
                "picture": self.picture_key,
            }
        )

    @property
    def poll_url(self) -> str:
        return f"{reverse('jobs:progress', args=(self.job.pk,))}?{self.poll_query}"


def watch(run: Run, *, is_latest: bool = True) -> Watch:
    """A Run (from `RunQuerySet.of`) with all that its page shows of it."""
    return Watch(run, cards_of(list(Iteration.objects.filter(run=run).order_by("index"))), is_latest)
