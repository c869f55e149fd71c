"""`python -m agent.models.server --model FILE`: llama.cpp's own HTTP server, in this process, on loopback.

Prints one JSON line when it is ready; everything that llama.cpp has to say goes to stderr. The key that clients must
send comes through the environment (PROOFREEL_MODEL_KEY), where other users of the machine cannot read it. SIGTERM and
SIGINT end it at once, also while it loads or generates: there is nothing to save.
"""

import argparse
import json
import os
import signal
import sys
import time
from pathlib import Path
from typing import Any, TextIO

from agent.child import end_with_parent
from agent.models.running import RunningServer, is_healthy, write_state

KEY_VARIABLE = "PROOFREEL_MODEL_KEY"
DEFAULT_THREADS = 2
CONTEXT_TOKENS = 8192
PROMPT_CACHE_MIB = 256
HEALTH_S = 60.0


def main(arguments: list[str] | None = None) -> int:
    """Serve until ended. Exit code 2 without a key, 3 when the model cannot be served."""
    options = _options(arguments)
    if options.parent:
        end_with_parent(options.parent, signal.SIGKILL)
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    key = os.environ.pop(KEY_VARIABLE, "")
    if not key:
        sys.stderr.write(f"{KEY_VARIABLE} must hold the key that clients have to send.\n")
        return 2
    ready = _keep_stdout()
    try:
        engine = _load(options, key)
    except RuntimeError:
        sys.stderr.write(f"{options.model} cannot be served; llama.cpp said why above.\n")
        return 3
    address = engine.listening_address
    deadline = time.monotonic() + HEALTH_S
    while not is_healthy(address):
        if time.monotonic() > deadline:
            sys.stderr.write(f"{address} did not become healthy within {HEALTH_S:.0f} s.\n")
            return 3
        time.sleep(0.05)
    _announce(options, f"{address}/v1", key, ready)
    while True:  # `engine` serves from threads of its own for as long as it is referred to
        signal.pause()


def _options(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m agent.models.server", description="Serve a GGUF on loopback.")
    parser.add_argument("--model", type=Path, required=True, help="the GGUF file")
    parser.add_argument("--alias", help="the name in /v1/models (default: the file's)")
    parser.add_argument("--port", type=int, default=0, help="0 takes a free one")
    parser.add_argument("--threads", type=int, default=min(DEFAULT_THREADS, len(os.sched_getaffinity(0))))
    parser.add_argument("--context", type=int, default=CONTEXT_TOKENS, help="tokens of prompt and answer together")
    parser.add_argument("--verbosity", type=int, default=1, help="of llama.cpp: 1 errors, 2 warnings, 3 information")
    parser.add_argument("--sha256", help="of the file, if known: only passed on")
    parser.add_argument("--state", type=Path, help="also write down there how to reach this server (mode 0600)")
    parser.add_argument("--parent", type=int, help="process id to end with: the starter's own")
    options = parser.parse_args(arguments)
    options.alias = options.alias or options.model.stem.lower()
    return options


def _keep_stdout() -> TextIO:
    """Keep stdout for the one line; what the library may print there lands on stderr."""
    kept = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    return kept


def _load(options: argparse.Namespace, key: str) -> Any:  # noqa: ANN401 (the library has no types)
    """The serving engine, its model loaded. Raises RuntimeError when it cannot be had."""
    # Read when libgomp loads, so it must be set before the import: threads that wait must not spin, because a render
    # on the same cores would slow generation 5 to 20 times down.
    os.environ["OMP_WAIT_POLICY"] = "passive"
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = str(options.model)
    params.model_alias = {options.alias}
    params.hostnames = ["127.0.0.1"]
    params.port = options.port
    params.api_keys = [key]
    params.n_ctx = options.context
    params.n_parallel = 1
    params.cache_ram_mib = PROMPT_CACHE_MIB
    params.verbosity = options.verbosity
    params.ui = False
    params.endpoint_slots = False
    params.cors_origins = ""  # no page in a browser has business here
    for threads in (params.cpuparams, params.cpuparams_batch):
        threads.n_threads = options.threads
        threads.poll = 0
    return xllamacpp.Server(params)


def _announce(options: argparse.Namespace, base_url: str, key: str, ready: TextIO) -> None:
    if options.state:
        server = RunningServer(
            pid=os.getpid(),
            base_url=base_url,
            model=options.alias,
            api_key=key,
            path=str(options.model),
            sha256=options.sha256,
        )
        write_state(options.state, server)
    line = {"ready": True, "base_url": base_url, "model": options.alias, "sha256": options.sha256, "pid": os.getpid()}
    ready.write(json.dumps(line) + "\n")
    ready.close()


if __name__ == "__main__":
    sys.exit(main())
