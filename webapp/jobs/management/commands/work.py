"""`manage.py work`: take Runs from the queue until told to end."""

from argparse import ArgumentParser
from typing import Any

import redis.exceptions
from django.core.management.base import BaseCommand, CommandError
from django.db import InterfaceError, OperationalError

from agent.errors import CannotStart


class Command(BaseCommand):
    help = "Carry out queued runs. Prints READY when it listens; SIGTERM gives the run in hand back to the queue."
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        """`--burst` is for tests and for emptying a queue by hand."""
        parser.add_argument("--burst", action="store_true", help="end once the queue is empty")

    def handle(self, *_arguments: str, **options: Any) -> None:  # noqa: ANN401 (Django's own)
        """Work. The process edge: what cannot be worked with is one sentence and an exit code."""
        from webapp.jobs.tasks import work_at  # all that a work-horse needs is imported before the first is forked
        from webapp.jobs.worker import RunWorker
        from webapp.jobs.workplace import open_workplace

        try:
            with open_workplace() as workplace:
                workplace.sweep()
                work_at(workplace)
                worker = RunWorker(workplace)
                worker.work(burst=options["burst"], logging_level="WARNING")
        except CannotStart as error:
            raise CommandError(str(error), returncode=3) from error
        except redis.exceptions.RedisError as error:
            raise CommandError(f"The queue cannot be reached: {error}") from error
        except (OperationalError, InterfaceError) as error:
            raise CommandError(f"The database cannot be reached: {error}") from error
        if not (options["burst"] or worker.told_to_end):
            raise CommandError("The queue was lost.")
