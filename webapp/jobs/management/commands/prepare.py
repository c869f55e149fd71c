"""`manage.py prepare`: everything that has to be there before a web server or a worker starts. Idempotent."""

import json

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand

from agent.config import read_settings
from webapp.core.actions import new_sign_in_links, seed_people
from webapp.endpoints.actions import register_from_settings


class Command(BaseCommand):
    help = "Bring the database and the static files up to date; prints one JSON line with links for signing in."

    def handle(self, *_: object, **__: object) -> None:
        """Tables, files, people, the model of the settings, and links when BOOT_ID is set.

        Beside a running `./run` the model is that one's affair: ours might lack the key that its workers use.
        """
        call_command("migrate", verbosity=0, interactive=False)
        call_command("collectstatic", verbosity=0, interactive=False)
        call_command("clearsessions", verbosity=0)
        seed_people()
        if settings.ENVIRONMENT.is_guest:
            self.stderr.write("Proofreel is running: its model and its links for signing in stay as they are.")
        else:
            register_from_settings(read_settings())
        links = new_sign_in_links(settings.BOOT_ID) if settings.BOOT_ID else {}
        self.stdout.write(json.dumps({"sign_in": {role.value: path for role, path in links.items()}}))
