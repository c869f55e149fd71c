"""The app as Django knows it: it also gives the roles their permissions."""

from typing import Any

from django.apps import AppConfig
from django.db.models.signals import post_migrate

from webapp.core.roles import PERMISSIONS


def grant_permissions(**_: Any) -> None:  # noqa: ANN401 (Django's signal)
    """Bring the groups of the roles and their permissions into the database, as PERMISSIONS says."""
    from django.contrib.auth.models import Group, Permission

    for role, names in PERMISSIONS.items():
        group, _created = Group.objects.get_or_create(name=role.value)
        wanted = [name.split(".") for name in names]
        found = [
            permission
            for app, codename in wanted
            for permission in Permission.objects.filter(content_type__app_label=app, codename=codename)
        ]
        group.permissions.set(found)


class CoreConfig(AppConfig):
    name = "webapp.core"

    def ready(self) -> None:
        """Permissions exist only after the last app is migrated; each app's signal brings those known by then."""
        post_migrate.connect(grant_permissions)
