"""Django's admin: people are looked after in it, everything else is only looked at."""

from django.contrib import admin
from django.contrib.auth.admin import UserAdmin
from django.db.models import Model
from django.http import HttpRequest

from webapp.core.models import Invitation, User


@admin.register(User)
class PersonAdmin(UserAdmin):  # type: ignore[type-arg]  # takes none at run time
    """People. Whoever is no superuser neither makes superusers nor changes them: that would be a way to everything."""

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        is_above = isinstance(obj, User) and obj.is_superuser and not request.user.is_superuser
        return super().has_change_permission(request, obj) and not is_above

    def get_readonly_fields(self, request: HttpRequest, obj: Model | None = None) -> tuple[str, ...]:
        fixed = tuple(super().get_readonly_fields(request, obj))
        return fixed if request.user.is_superuser else (*fixed, "is_superuser", "user_permissions")


class LookOnly(admin.ModelAdmin):  # type: ignore[type-arg]  # takes none at run time
    """Rows that nobody adds, changes or deletes by hand: actions do."""

    def has_add_permission(self, request: HttpRequest) -> bool:
        del request
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        del request, obj
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        del request, obj
        return False


@admin.register(Invitation)
class InvitationAdmin(LookOnly):
    list_display = ("role", "note", "created_by", "created_at", "accepted_by", "accepted_at")
    list_filter = ("role",)
