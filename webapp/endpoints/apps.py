"""The app as Django knows it."""

from django.apps import AppConfig


class EndpointsConfig(AppConfig):
    name = "webapp.endpoints"
