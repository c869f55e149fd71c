"""The forms of asking and finding."""

import json
import uuid
from typing import Any

from django import forms

from agent.config import AgentConfig
from agent.errors import BadPrompt
from agent.prompt_check import MAX_PROMPT_CHARACTERS, check_prompt
from agent.types import Motion, Prompt, Quality, StrategyName
from webapp.jobs import words
from webapp.jobs.models import Status

MAX_REPAIRS = 5


class PromptField(forms.Field):
    """What was typed, as it was typed; what is wrong with it is said in the agent's own sentence."""

    widget = forms.Textarea

    def to_python(self, value: str | None) -> str:
        """Browsers send line ends as two characters; people count one."""
        return (value or "").replace("\r\n", "\n")

    def validate(self, value: str) -> None:
        try:
            check_prompt(value)
        except BadPrompt as error:
            raise forms.ValidationError(str(error)) from error


class SubmissionField(forms.UUIDField):
    """The name of a form. Nobody typed it, so a wrong one is nobody's mistake: it counts as none."""

    widget = forms.HiddenInput

    def to_python(self, value: Any) -> Any:  # noqa: ANN401 (Django's signature)
        try:
            return super().to_python(value)
        except forms.ValidationError:
            return None


class AskForm(forms.Form):
    """A prompt and its options, each with a default. `submission` makes a double click one Job."""

    text = PromptField(
        label="What should the animation show?",
        widget=forms.Textarea(
            attrs={
                "rows": 5,
                "autofocus": True,
                "dir": "auto",
                "data-limit": MAX_PROMPT_CHARACTERS,
                "placeholder": "Describe it in a sentence or two, as you would to a colleague at the blackboard.",
            }
        ),
    )
    motion = forms.ChoiceField(
        choices=[(word.value, words.MOTIONS[word]) for word in Motion], initial=Motion.AUTO, required=False
    )
    quality = forms.ChoiceField(
        choices=[(word.value, words.QUALITIES[word]) for word in Quality], initial=Quality.P720_30, required=False
    )
    strategy = forms.ChoiceField(
        choices=[(word.value, words.STRATEGIES[word]) for word in reversed(StrategyName)],
        initial=StrategyName.FULL,
        required=False,
    )
    repairs = forms.IntegerField(
        label="Repairs at most",
        min_value=0,
        max_value=MAX_REPAIRS,
        initial=3,
        required=False,
        help_text="How often the model may try again when a try is not good.",
        error_messages=dict.fromkeys(
            ("invalid", "min_value", "max_value"), f"Choose a number from 0 to {MAX_REPAIRS}."
        ),
    )
    submission = SubmissionField(required=False)

    @property
    def options_are_wrong(self) -> bool:
        """Whether an error hides behind the fold."""
        return any(name not in ("text", "__all__") for name in self.errors)

    def prompt(self) -> Prompt:
        """What was asked for; an option that was left out has its default."""
        return Prompt(
            text=self.cleaned_data["text"],
            motion=Motion(self._value("motion")),
            quality=Quality(self._value("quality")),
        )

    def config(self) -> AgentConfig:
        """How it shall be worked on."""
        return AgentConfig(strategy=StrategyName(self._value("strategy")), repairs=int(self._value("repairs")))

    def submission_id(self) -> uuid.UUID:
        """The same for the same form with the same content: a person who goes back and changes it asks anew."""
        form = self.cleaned_data["submission"]
        if form is None:
            return uuid.uuid4()
        content = [self.prompt().model_dump(mode="json"), self.config().model_dump(mode="json")]
        return uuid.uuid5(form, json.dumps(content, sort_keys=True))

    def _value(self, name: str) -> Any:  # noqa: ANN401 (a field's own type)
        value = self.cleaned_data[name]
        return self.fields[name].initial if value in ("", None) else value


class FindForm(forms.Form):
    """Words of a prompt, and where the Job stands."""

    q = forms.CharField(label="Search", required=False, max_length=200, strip=True)
    status = forms.ChoiceField(
        choices=[("", "Any status"), *((word.value, words.STATUSES[word]) for word in Status)], required=False
    )
