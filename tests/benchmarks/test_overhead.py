"""The overhead benchmark: it measures what it says, over an instance of its own, and says so when it cannot."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.instance import Served
from benchmarks.polls import Poll, expect, milliseconds

ROOT = Path(__file__).parents[2]
ACCESS_LOG = """\
204 4100 /jobs/a/progress
200 9000 /jobs/a/progress
204 3900 /jobs/b/progress
204 4300 /jobs/a/progress
"""


def overhead(*options: str, **environment: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "benchmarks.overhead", "--json", *options]
    return subprocess.run(command, cwd=ROOT, env=os.environ | environment, capture_output=True, text=True)


def test_a_small_measurement_holds_every_number(tmp_path: Path) -> None:
    done = overhead("--n", "1", "--polls", "6", "--changes", "3", PROOFREEL_DATA=str(tmp_path / "not-used"))
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    parts = result["job_parts_s"]
    ours = parts["queue_s"] + parts["agent_s"] + parts["worker_s"]
    assert result["job_overhead_s"] == pytest.approx(ours, abs=0.005)
    assert min(parts["queue_s"], parts["agent_s"], parts["worker_s"], parts["render_s"], result["overhead_s"]) > 0
    assert result["job_overhead_share"] == pytest.approx(ours / (ours + parts["render_s"] + parts["model_s"]), abs=0.01)
    assert result["poll_n"] == {"unchanged": 6, "changed": 3, "new_try": 3}
    assert result["poll_queries"]["unchanged"] < result["poll_queries"]["changed"]
    for name in ("poll_ms_p50", "poll_ms_p95", "poll_loopback_ms_p50", "poll_view_ms_p50"):
        assert min(result[name].values()) > 0
    assert not (tmp_path / "not-used").exists()


def test_the_web_servers_clock_is_read_per_path_and_status(tmp_path: Path) -> None:
    log = tmp_path / "requests.log"
    log.write_text(ACCESS_LOG)
    served = Served(8000, log)
    assert served.seconds(204, "/jobs/a/progress") == [0.0041, 0.0043]
    assert served.seconds(200, "/jobs/a/progress") == [0.009]


def test_percentiles_are_milliseconds() -> None:
    assert milliseconds([0.001, 0.002, 0.003], 50) == 2.0
    assert milliseconds([0.001 * n for n in range(1, 102)], 95) == 96.0
    assert milliseconds([0.004], 95) == 4.0


def test_an_answer_that_is_not_what_is_measured_ends_the_measurement() -> None:
    with pytest.raises(SystemExit, match="unchanged was answered with 404"):
        expect(Poll("unchanged", "/jobs/a/progress?cursor=1.0", 204, 1), 404)
