"""Endpoints as the database has them, to look at."""

from django.contrib import admin

from webapp.core.admin import LookOnly
from webapp.endpoints.models import Endpoint


@admin.register(Endpoint)
class EndpointAdmin(LookOnly):
    list_display = ("name", "kind", "model", "base_url", "is_default", "created_at")
    list_filter = ("kind",)
