"""The app as Django knows it."""

from django.apps import AppConfig


class JobsConfig(AppConfig):
    name = "webapp.jobs"
