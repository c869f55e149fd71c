"""A worker's writes outlast a Postgres that is restarted."""

import time
from collections.abc import Callable
from typing import TypeVar

from django.db import InterfaceError, OperationalError, close_old_connections

PATIENCE_S = 30.0
PAUSE_S = 0.5
Result = TypeVar("Result")


def patiently(write: Callable[[], Result]) -> Result:
    """Do it; while the connection to the database is lost, again and again for 30 s. Then the error propagates."""
    deadline = time.monotonic() + PATIENCE_S
    while True:
        try:
            return write()
        except (OperationalError, InterfaceError):
            if time.monotonic() > deadline:
                raise
            close_old_connections()  # a broken connection is not used again
            time.sleep(PAUSE_S)
