"""`manage.py reconcile`: bring the rows and the queue together again, once or for ever."""

import time
from argparse import ArgumentParser
from contextlib import suppress
from typing import Any

import redis.exceptions
from django.core.management.base import BaseCommand, CommandError
from django.db import InterfaceError, OperationalError, close_old_connections

from webapp.jobs.actions.leases import LEASE_S
from webapp.jobs.actions.reconciliation import Reconciled, reconcile

AWAY = (OperationalError, InterfaceError, redis.exceptions.RedisError)
CANNOT = "The rows and the queue cannot be compared: {}"
# How far the clock may run ahead of a sleep before the machine itself is taken to have slept. Seconds.
LEAP_S = 5.0
NOTHING = Reconciled(expired=0, out_of_step=0, enqueued=0)


class Command(BaseCommand):
    help = "Queue again what was lost: runs that Valkey does not know, and runs whose worker has died."
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        """`--every` is how the supervisor runs it."""
        parser.add_argument("--every", type=float, metavar="SECONDS", help="go on until ended; prints READY first")

    def handle(self, *_arguments: str, **options: Any) -> None:  # noqa: ANN401 (Django's own)
        """Reconcile. The process edge."""
        every = options["every"]
        if every is None:
            try:
                self.say(reconcile())
            except AWAY as error:
                raise CommandError(CANNOT.format(error)) from error
            return
        self.stdout.write("READY")
        self.stdout.flush()
        with suppress(KeyboardInterrupt):
            while True:
                self.reconcile_if_possible()
                if slept_longer(every):
                    time.sleep(LEASE_S / 2)

    def reconcile_if_possible(self) -> None:
        """Once; services that are away now may be back the next time."""
        try:
            done = reconcile()
        except AWAY as error:
            self.stderr.write(CANNOT.format(error))
            close_old_connections()
            return
        if done != NOTHING:
            self.say(done)

    def say(self, done: Reconciled) -> None:
        """What was done, on one line."""
        self.stdout.write(f"{done.expired} expired, {done.out_of_step} out of step, {done.enqueued} enqueued")
        self.stdout.flush()


def slept_longer(seconds: float) -> bool:
    """Sleep; whether the clock ran on meanwhile, as when a laptop was closed. Then every lease looks expired, and
    workers must get to say that they are alive before anybody judges them."""
    clock, steady = time.time(), time.monotonic()
    time.sleep(seconds)
    return (time.time() - clock) - (time.monotonic() - steady) > LEAP_S
