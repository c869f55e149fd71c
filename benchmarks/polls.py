"""What a poll of a Job's page costs: when nothing is new, when the stage is (most changes), and with as much new as one
poll ever brings.

`poll_ms` is the web server's own clock (gunicorn's access log: from a request's head to the last byte of its answer),
`poll_loopback_ms` that of the one client, which sends one poll after the other over one connection, and `poll_view_ms`
that of Django's test client: the application in this process, without a web server.
"""

import http.client
import statistics
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, urlencode

from benchmarks.instance import Served

if TYPE_CHECKING:
    from django.test import Client

    from webapp.jobs.models import Job

HOST = "127.0.0.1"
# Each of the web server's threads makes its connection to Postgres with the first request that it gets.
WARM_UP = 40


@dataclass(frozen=True)
class Poll:
    """One kind of poll: what is asked, what the answer's status is, and how often it is measured."""

    name: str
    url: str
    status: int
    n: int

    @property
    def path(self) -> str:
        """Without the query."""
        return self.url.partition("?")[0]


def poll_numbers(served: Served, job: "Job", unchanged: int, changed: int) -> dict[str, Any]:
    """Numbers of so many polls of each kind, after some that do not count. The Job must not change meanwhile."""
    client = signed_in(job)
    result: dict[str, dict[str, float]] = {}
    for poll in polls_of(job, unchanged, changed):
        loopback = over_loopback(served, client.cookies.output(attrs=[], header="", sep=";").strip(), poll)
        server = served.seconds(poll.status, poll.path)[-poll.n :]
        view = [timed_view(client, poll) for _ in range(WARM_UP + poll.n)][-poll.n :]
        numbers = {
            "poll_n": len(server),
            "poll_ms_p50": milliseconds(server, 50),
            "poll_ms_p95": milliseconds(server, 95),
            "poll_loopback_ms_p50": milliseconds(loopback, 50),
            "poll_loopback_ms_p95": milliseconds(loopback, 95),
            "poll_view_ms_p50": milliseconds(view, 50),
            "poll_queries": queries(client, poll),
        }
        for name, value in numbers.items():
            result.setdefault(name, {})[poll.name] = value
    return result


def polls_of(job: "Job", unchanged: int, changed: int) -> list[Poll]:
    """What a page asks that shows everything, one that lacks the stage, and one that lacks the newest try as well."""
    from webapp.jobs.models import Run
    from webapp.jobs.watching import watch

    now = watch(Run.objects.of(job.owner).filter(job=job)[0])
    path, _, query = now.poll_url.partition("?")
    shown = dict(parse_qsl(query)) | {"cursor": "0.0"}
    lacking = shown | {"cards": str(len(now.cards) - 1), "picture": ""}
    return [
        Poll("unchanged", now.poll_url, 204, unchanged),
        Poll("changed", f"{path}?{urlencode(shown)}", 200, changed),
        Poll("new_try", f"{path}?{urlencode(lacking)}", 200, changed),
    ]


def over_loopback(served: Served, cookies: str, poll: Poll) -> list[float]:
    """Seconds of each, as the client sees them."""
    connection = http.client.HTTPConnection(HOST, served.port, timeout=30)
    headers = {"Cookie": cookies, "HX-Request": "true"}
    seconds = []
    for _ in range(WARM_UP + poll.n):
        began = time.perf_counter()
        connection.request("GET", poll.url, headers=headers)
        answer = connection.getresponse()
        answer.read()
        seconds.append(time.perf_counter() - began)
        expect(poll, answer.status)
    connection.close()
    return seconds[-poll.n :]


def signed_in(job: "Job") -> "Client":
    """A browser of the Job's owner, in this process."""
    from django.test import Client

    client = Client(headers={"host": HOST, "hx-request": "true"})
    client.force_login(job.owner)
    return client


def timed_view(client: "Client", poll: Poll) -> float:
    """Seconds of one poll without a web server."""
    began = time.perf_counter()
    answer = client.get(poll.url)
    took = time.perf_counter() - began
    expect(poll, answer.status_code)
    return took


def queries(client: "Client", poll: Poll) -> int:
    """How often one poll asks the database."""
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    with CaptureQueriesContext(connection) as asked:
        expect(poll, client.get(poll.url).status_code)
    return len(asked)


def expect(poll: Poll, status: int) -> None:
    """Raise SystemExit when the answer is not the one that is measured."""
    if status != poll.status:
        raise SystemExit(f"A poll with nothing but what is {poll.name} was answered with {status}.")


def milliseconds(seconds: list[float], percentile: int) -> float:
    """That percentile, in milliseconds."""
    if len(seconds) == 1:
        return round(1000 * seconds[0], 2)
    return round(1000 * statistics.quantiles(seconds, n=100, method="inclusive")[percentile - 1], 2)
