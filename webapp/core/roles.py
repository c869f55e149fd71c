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
    Role.ADMIN: ("jobs.add_job", "core.add_invitation", "core.view_status"),
}
