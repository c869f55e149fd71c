"""What lies in Valkey: the order in which workers look at Runs, and nothing that would be missed if it were lost.

An entry is named after the Run and its next start, so that the same start is queued at most once.
"""

from contextlib import suppress
from uuid import UUID

import django_rq
from rq import Queue
from rq.exceptions import DuplicateJobError
from rq.job import Job as Entry

NAME = "default"
TASK = "webapp.jobs.tasks.run_agent"
# When rq ends a work-horse that hangs. The real limits are the agent's own, which leave out waiting for a processor;
# this one cannot.
HANG_S = 2 * 3600
# How long the trace of a work-horse that died is kept.
FAILURE_TTL_S = 3600


def work_queue() -> Queue:
    """The queue that workers listen to. Entries are pushed at once: callers wait for their commit themselves."""
    return django_rq.get_queue(NAME, commit_mode="auto")


def entry_id(run_id: UUID, starts: int) -> str:
    """The name of the entry for the start that follows `starts` earlier ones."""
    return f"run-{run_id.hex}-{starts + 1}"


def push(run_id: UUID, starts: int) -> None:
    """Queue a Run's next start unless it is queued: the first at the end, later ones before all that has not begun.

    Raises redis.exceptions.ConnectionError.
    """
    with suppress(DuplicateJobError):
        work_queue().enqueue_call(
            TASK,
            args=(str(run_id),),
            job_id=entry_id(run_id, starts),
            timeout=HANG_S,
            result_ttl=0,
            failure_ttl=FAILURE_TTL_S,
            at_front=starts > 0,
            unique=True,
        )


def forget(entry: str) -> None:
    """Remove what is left of an entry that a worker took and never carried out."""
    queue = work_queue()
    queue.connection.delete(Entry.key_for(entry))
    queue.intermediate_queue.remove(entry)


def waiting_entries() -> set[str]:
    """The names of all entries that no worker has taken."""
    return set(work_queue().get_job_ids())
