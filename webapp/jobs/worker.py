"""The process that takes Runs from the queue: rq's worker, which lets go of what it has when it is told to end.

Each Run is carried out in a work-horse, a fork of this process in which everything heavy is imported already.
"""

import os
import signal
import socket
import sys
import threading
import time
from contextlib import suppress
from types import FrameType
from typing import Any

import redis.exceptions
from django.db import DatabaseError, InterfaceError, connections
from redis.client import Pipeline
from rq import Queue, Worker
from rq.executions import Execution
from rq.job import Job as Entry

from agent.child import end_with_parent
from agent.errors import InfrastructureError
from agent.renderer.protocol import About
from webapp.jobs.actions.workers import worker_left, worker_seen
from webapp.jobs.queue import work_queue
from webapp.jobs.workplace import Workplace

READY = "READY"
# How often a worker says that it is alive. Seconds.
BEAT_S = 15
# rq waits for an entry 15 s less than its workers may be silent.
WORKER_TTL_S = BEAT_S + 15
# How long a work-horse that was told to leave may take: the database may be gone as well. Seconds.
LEAVE_S = 10.0
VALKEY_IS_AWAY = (redis.exceptions.ConnectionError, redis.exceptions.TimeoutError)


class RunWorker(Worker):
    """Takes Runs until it is told to end; the Run in hand then goes back to the queue."""

    max_connection_wait_time = 5.0

    def __init__(self, workplace: Workplace) -> None:
        queue = work_queue()
        super().__init__(
            [queue],
            name=workplace.name,
            connection=queue.connection,
            queue_class=type(queue),
            worker_ttl=WORKER_TTL_S,
            job_monitoring_interval=BEAT_S,
            log_job_description=False,
        )
        self.told_to_end = False
        self._workplace = workplace
        self._said_at = float("-inf")

    def bootstrap(self, *arguments: Any, **options: Any) -> None:  # noqa: ANN401 (rq's own)
        """Register, and say on stdout that it listens."""
        super().bootstrap(*arguments, **options)
        self._say_alive()
        sys.stdout.write(f"{READY}\n")
        sys.stdout.flush()

    def teardown(self) -> None:
        """Deregister."""
        with suppress(DatabaseError, InterfaceError):
            worker_left(self.name)
        super().teardown()  # type: ignore[no-untyped-call]

    def heartbeat(self, timeout: int | None = None, pipeline: Pipeline | None = None) -> None:
        """Say that it is alive: to rq's registry, and in its row, where people look."""
        super().heartbeat(timeout, pipeline)
        if not self.is_horse and time.monotonic() - self._said_at > BEAT_S / 3:
            self._say_alive()

    def maintain_heartbeats(self, job: Entry, execution: Execution) -> None:
        """The Run in hand lives in Postgres: it goes on while Valkey is restarted."""
        with suppress(*VALKEY_IS_AWAY):
            super().maintain_heartbeats(job, execution)

    def execute_job(self, job: Entry, queue: Queue) -> None:
        """Have a work-horse carry it out. How it ended stands in its row, whether or not Valkey can be told."""
        with suppress(*VALKEY_IS_AWAY):
            super().execute_job(job, queue)

    def fork_work_horse(self, job: Entry, queue: Queue) -> None:
        """Fork without a connection to Postgres, and without losing a signal on the way."""
        connections.close_all()
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})
        try:
            super().fork_work_horse(job, queue)  # returns in the parent only
        finally:
            signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM})
        if self.told_to_end:  # by a signal that another thread took before the work-horse was known
            self._tell_work_horse()

    def setup_work_horse_signals(self) -> None:
        """In the work-horse: SIGTERM, from the worker or because it is gone, asks the Run to let go."""
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        signal.signal(signal.SIGTERM, self._leave)
        if self.told_to_end:
            self._workplace.leaving.set()
        try:
            end_with_parent(self.pid or 0, signal.SIGTERM)
        except SystemExit:
            self._workplace.leaving.set()
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM})

    def handle_warm_shutdown_request(self) -> None:
        """Told to end: so is the work-horse."""
        self.told_to_end = True
        self._tell_work_horse()

    def set_shutdown_requested_date(self) -> None:
        """Nobody reads it, and a handler of signals should not wait for Valkey."""

    def _tell_work_horse(self) -> None:
        if self.horse_pid:
            with suppress(ProcessLookupError):
                os.kill(self.horse_pid, signal.SIGTERM)

    def _leave(self, _number: int, _frame: FrameType | None) -> None:
        self._workplace.leaving.set()
        overdue = threading.Timer(LEAVE_S, os._exit, (1,))
        overdue.daemon = True
        overdue.start()

    def _say_alive(self) -> None:
        """A Postgres that is away is no reason to end: whatever needs it will say so."""
        self._said_at = time.monotonic()
        try:
            worker_seen(self.name, socket.gethostname(), self._workplace.versions, self._renderer())
        except (DatabaseError, InterfaceError):
            connections.close_all()

    def _renderer(self) -> About | None:
        """What the renderer says of itself, if it is there."""
        try:
            self._workplace.renderer.check()
        except InfrastructureError:
            return None
        return self._workplace.renderer.about()
