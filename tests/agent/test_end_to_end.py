"""The whole product, nothing scripted: a sentence, the embedded 0.5B model, the real renderer, a video."""

import json
import os
import subprocess
import sys
from pathlib import Path

import av
import pytest

from agent.config import default_cache
from agent.models.fetch import ProgressLine
from agent.models.weights import fetch
from agent.run_folder import read_run
from agent.types import Outcome


@pytest.mark.model
def test_a_sentence_becomes_a_video_with_the_embedded_model(tmp_path: Path) -> None:
    fetch("0.5B", default_cache(), ProgressLine().show)
    options = ("--max-tokens", "120", "--quality", "480p15", "--out", str(tmp_path / "run"), "--json")
    done = subprocess.run(
        [sys.executable, "-m", "agent", "Show a blue circle.", *options],
        env={name: value for name, value in os.environ.items() if not name.startswith(("LLM_", "MODEL_"))}
        | {"MODEL_SIZE": "0.5B"},
        capture_output=True,
        text=True,
        timeout=400,
    )
    assert done.returncode == 0, done.stderr
    run = read_run(tmp_path / "run")
    assert json.loads(done.stdout)["id"] == run.id
    assert run.model == "qwen2.5-coder-0.5b-instruct-q4_k_m"
    assert all(0 < call.usage.output_tokens <= 120 for call in run.calls)
    assert run.outcome in (Outcome.ACCEPTED, Outcome.BEST_EFFORT)
    with av.open(tmp_path / "run" / run.final_video) as video:
        assert sum(1 for _ in video.decode(video=0)) > 5
