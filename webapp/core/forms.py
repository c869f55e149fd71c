"""The forms for coming in: sign-in, password, invitations."""

from typing import Any, ClassVar

from django import forms
from django.contrib.auth.forms import AuthenticationForm, PasswordChangeForm, SetPasswordForm, UserCreationForm

from webapp.core.models import User
from webapp.core.roles import Role

# What somebody of that role does here.
ROLE_WORDS = {
    Role.EDUCATOR: "asks for animations",
    Role.ANNOTATOR: "judges animations that others asked for",
    Role.ADMIN: "looks after this server",
}


class SignInForm(AuthenticationForm):
    """Name and password."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:  # noqa: ANN401 (Django's signature)
        super().__init__(*args, **kwargs)
        self.error_messages = {
            "invalid_login": "This name and password do not belong together. Both mind capital letters.",
            "inactive": "This account is closed.",
        }
        self.fields["username"].label = "Name"


def password_form(user: User, data: Any = None) -> "SetPasswordForm[User]":  # noqa: ANN401 (what request.POST is)
    """The form for a new password; it asks for the old one where there is one."""
    form_class = PasswordChangeForm if user.has_usable_password() else SetPasswordForm
    return form_class(user, data)


class InviteForm(forms.Form):
    """Whom an invitation is for."""

    role = forms.ChoiceField(choices=[(role.value, f"{role.value.capitalize()}: {ROLE_WORDS[role]}") for role in Role])
    note = forms.CharField(label="Note for the list below", max_length=200, required=False)


class AcceptForm(UserCreationForm):  # type: ignore[type-arg]  # takes none at run time
    """Name and password of a new account. It is made by an action, never by `save`."""

    class Meta:
        model = User
        fields = ("username",)
        labels: ClassVar = {"username": "Name"}
        help_texts: ClassVar = {"username": "Letters, digits and @ . + - _"}
