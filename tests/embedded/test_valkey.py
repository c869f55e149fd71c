"""The embedded Valkey: its data, its socket, and what it says when it cannot start."""

import shlex
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import redis
from keeping import Kept
from stores import ValkeyServer

from embedded.children import Child
from embedded.life import Life
from embedded.valkey import Valkey


@pytest.fixture
def valkey(tmp_path: Path, sockets: Path) -> Iterator[ValkeyServer]:
    """One that may be started, and is stopped at the end."""
    server = ValkeyServer(tmp_path / "valkey", sockets, durable=True)
    yield server
    server.stop()


def test_what_was_queued_is_there_after_it_was_killed(valkey):
    valkey.start()
    with redis.Redis.from_url(valkey.url()) as client:
        client.rpush("queue", "job")
        client.wait(0, 0)
    valkey.process.kill()
    valkey.process.wait()
    valkey.start()
    with redis.Redis.from_url(valkey.url()) as client:
        assert client.lrange("queue", 0, -1) == [b"job"]


def test_only_its_owner_may_use_the_socket(valkey, sockets):
    valkey.start()
    assert (sockets / "valkey.sock").stat().st_mode & 0o777 == 0o700
    assert sockets.stat().st_mode & 0o777 == 0o700


def test_it_listens_on_no_port(valkey):
    valkey.start()
    with redis.Redis.from_url(valkey.url()) as client:
        assert client.config_get("port") == {"port": "0"}


def test_every_number_is_a_database_of_its_own(valkey):
    valkey.start()
    with redis.Redis.from_url(valkey.url(1)) as one, redis.Redis.from_url(valkey.url(2)) as two:
        one.set("name", "one")
        assert two.get("name") is None


def test_it_answers_only_while_it_runs(valkey):
    assert not valkey.answers()
    valkey.start()
    assert valkey.answers()
    valkey.stop()
    assert not valkey.answers()


def test_data_that_cannot_be_read_is_one_sentence(valkey, keep: Callable[..., Kept]):
    valkey.start()
    valkey.stop()
    for file in (valkey.data / "appendonlydir").iterdir():
        file.write_bytes(b"nothing that was ever written by a server")
    kept = keep({"name": "valkey", "program": f"exec {shlex.join(valkey.prepare())} >&2"})
    said = kept.last("valkey", "failed")["message"]
    assert said.startswith("The valkey did not start (exit code 1): ")
    assert "AOF" in said


def test_a_folder_that_cannot_be_is_one_sentence(tmp_path, sockets):
    (tmp_path / "file").write_text("in the way")
    server = Valkey(tmp_path / "file" / "valkey", sockets)
    life = Life(Child("valkey", "Valkey", lambda _: server.prepare(), {}), tmp_path, print)
    life.start({})
    assert life.message == "Valkey cannot be started: Not a directory."
