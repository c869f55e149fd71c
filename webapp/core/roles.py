"""The roles of the product. Each is a Django group of that name; after each migrate its permissions are PERMISSIONS."""

from enum import StrEnum


class Role(StrEnum):
    EDUCATOR = "educator"
    ANNOTATOR = "annotator"
    ADMIN = "admin"


# What each role may do. Views ask for the permission, never for the role.
PERMISSIONS = {
    Role.EDUCATOR: ("jobs.add_job",),
    Role.ANNOTATOR: (),
    Role.ADMIN: (
        "jobs.add_job",
        "core.add_invitation",
        "core.view_status",
        # In Django's own pages.
        "core.view_invitation",
        "core.view_user",
        "core.change_user",
        "endpoints.view_endpoint",
        "jobs.view_job",
        "jobs.view_run",
        "jobs.view_worker",
    ),
}
