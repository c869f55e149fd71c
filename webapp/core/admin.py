"""People and invitations in Django's admin."""

from django.contrib import admin
from django.contrib.auth.admin import UserAdmin
from django.http import HttpRequest

from webapp.core.models import Invitation, User

admin.site.register(User, UserAdmin)


@admin.register(Invitation)
class InvitationAdmin(admin.ModelAdmin):  # type: ignore[type-arg]  # takes none at run time
    """To look at: invitations are written and withdrawn on their own page."""

    list_display = ("role", "note", "created_by", "created_at", "accepted_by", "accepted_at")
    list_filter = ("role",)

    def has_add_permission(self, request: HttpRequest) -> bool:
        del request
        return False

    def has_change_permission(self, request: HttpRequest, obj: Invitation | None = None) -> bool:
        del request, obj
        return False
