"""Code that attacks: nothing of ours or of the machine can be read, changed or reached, in either sandbox mode."""

import os
import socket
import sys
import uuid
from collections.abc import Callable
from pathlib import Path

import pytest
from studio import STILL, Studio

from agent.types import ErrorKind

Construct = Callable[[str], str]
PROJECT = Path(__file__).resolve().parents[3]

# Each attack says on stdout how it went; the scene renders in spite of them.
ATTEMPT = """
def attempt(name, act):
    try:
        print(name, "->", "WORKED", act(), flush=True)
    except BaseException as error:
        print(name, "->", "refused", type(error).__name__, flush=True)
"""


def attack(studio: Studio, acts: dict[str, str]) -> dict[str, str]:
    """What each act (an expression) gave."""
    lines = [f"attempt({name!r}, lambda: {act})" for name, act in acts.items()]
    made = studio(STILL + "import ctypes, glob, os, socket, subprocess, sys\n" + ATTEMPT + "\n".join(lines) + "\n")
    assert made.render.ok, made.render.message
    answers = dict(line.split(" -> ", 1) for line in made.log.splitlines() if " -> " in line)
    assert answers.keys() == acts.keys(), made.log
    return answers


def assert_refused(answers: dict[str, str]) -> None:
    assert {name: answer for name, answer in answers.items() if not answer.startswith("refused")} == {}


def test_the_network_and_local_sockets_cannot_be_reached(studio_of_each_mode: Studio, tmp_path: Path) -> None:
    with socket.socket() as tcp, socket.socket(socket.AF_UNIX) as local:
        tcp.bind(("127.0.0.1", 0))
        tcp.listen()
        local.bind(str(tmp_path / "s"))
        local.listen()
        acts = {
            "tcp": f"socket.create_connection({tcp.getsockname()!r}, 2)",
            "tcp6": "socket.socket(socket.AF_INET6)",
            "udp": "socket.socket(type=socket.SOCK_DGRAM).sendto(b'x', ('1.1.1.1', 53))",
            "dns": "socket.getaddrinfo('example.org', 80)",
            "netlink": "socket.socket(socket.AF_NETLINK, socket.SOCK_RAW)",
            "unix": f"socket.socket(socket.AF_UNIX).connect({str(tmp_path / 's')!r})",
            "abstract": "socket.socket(socket.AF_UNIX).connect('\\0/tmp/.X11-unix/X0')",
        }
        assert_refused(attack(studio_of_each_mode, acts))


def test_secrets_and_files_of_ours_cannot_be_read(studio_of_each_mode: Studio, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("x")
    everything = "b''.join(open(p, 'rb').read() for p in glob.glob('/proc/*/environ') if os.access(p, os.R_OK))"
    acts = {
        "environment": "'secret-in' in str(os.environ) or 1 / 0",
        "other environments": f"b'secret-in' in {everything} or 1 / 0",
        "passwd": "open('/etc/passwd').read()",
        "shadow": "open('/etc/shadow').read()",
        "home": f"os.listdir({str(Path.home() / '.cache')!r})",
        "project": f"os.listdir({str(PROJECT / 'agent')!r})",
        "other folders": f"open({str(secret)!r}).read()",
        "processes": "[p for p in glob.glob('/proc/[0-9]*') if int(p[6:]) > 60] or 1 / 0",
    }
    assert_refused(attack(studio_of_each_mode, acts))


def test_nothing_outside_the_own_folder_can_be_written(studio_of_each_mode: Studio) -> None:
    places = ["/usr/x", "/etc/x", "/dev/x", "/x", "/opt/proofreel/guest/x", "/in/x", f"{sys.prefix}/x", "/proc/sys/x"]
    acts = {place: f"open({place!r}, 'w').close()" for place in places}
    # Opened only: if it works, the machine's own settings must still be whole afterwards.
    for kernel in ("sys/kernel/core_pattern", "sys/vm/overcommit_memory", "sysrq-trigger", "1/oom_score_adj"):
        acts[kernel] = f"os.close(os.open('/proc/{kernel}', os.O_WRONLY))"
    acts["bytecode"] = "open('/opt/proofreel/bytecode/x', 'w').close()"
    assert_refused(attack(studio_of_each_mode, acts))


def test_rights_cannot_be_regained(studio_of_each_mode: Studio) -> None:
    call = "(lambda r: r == 0 or 1 / 0)"
    libc = "ctypes.CDLL(None)"
    acts = {
        "ptrace": f"{call}({libc}.ptrace(16, 1, 0, 0))",
        "unshare user": f"{call}({libc}.unshare(0x10000000))",
        "unshare net": f"{call}({libc}.unshare(0x40000000))",
        "mount": f"{call}({libc}.mount(b'none', b'/tmp', b'tmpfs', 0, None))",
        "remount": f"{call}({libc}.mount(None, b'/usr', None, 0x1020, None))",
        "chroot": "os.chroot('/tmp')",
        "setuid": "os.setuid(0) if os.getuid() else 1 / 0",
        "setgroups": "os.setgroups([0])",
        "kill all": "os.kill(1, 9) or open('/proc/1/cmdline') and 1 / 0",
        "bubblewrap": "subprocess.run(['unshare', '-U', 'true'], check=True, stderr=-3)",
        "chown": "(os.close(os.open('/tmp/c', os.O_CREAT)), os.chown('/tmp/c', 0, 0)) if os.getuid() else 1 / 0",
    }
    assert_refused(attack(studio_of_each_mode, acts))


def test_the_code_runs_without_rights_and_under_the_filter(studio_of_each_mode: Studio) -> None:
    made = studio_of_each_mode(STILL + "print(open('/proc/self/status').read())\n")
    status = dict(line.split(":\t", 1) for line in made.log.splitlines() if ":\t" in line)
    assert {
        name: int(status[name], 16) for name in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb")
    } == dict.fromkeys(("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"), 0)
    assert (status["NoNewPrivs"], status["Seccomp"]) == ("1", "2")


def test_a_scene_renders_in_each_mode(studio_of_each_mode: Studio, construct: Construct) -> None:
    made = studio_of_each_mode(construct("self.play(Write(Text('Hello')))"))
    assert made.render.ok, made.render.message
    assert made.render.duration_s == 1.0


FORGED = """
import json, os
from manim import *
os.chdir("/job")
report = {{"stage": "done", "scene": "Demo", "animations": 1, "still": False}}
{act}
os._exit(0)
"""
WRITE_REPORT = "open('result.json', 'w').write(json.dumps(report))\n"


@pytest.mark.parametrize(
    "act",
    [
        WRITE_REPORT + "os.symlink({secret!r}, 'video.mp4')",
        WRITE_REPORT + "os.symlink('/opt/proofreel/guest/run.py', 'video.mp4')",
        WRITE_REPORT + "os.mkfifo('video.mp4')",
        WRITE_REPORT + "os.mkdir('video.mp4')",
        WRITE_REPORT + "open('a', 'w').write('x'); os.link('a', 'video.mp4')",
        WRITE_REPORT + "open('video.mp4', 'wb').write(os.urandom(9999))",
        WRITE_REPORT,
        "os.symlink({secret!r}, 'result.json')",
        "os.mkfifo('result.json')",
        "open('result.json', 'w').write('[' * 100_000)",
        "open('result.json', 'w').write(json.dumps(report | {{'scene': 'x' * 9999}}))",
        "open('result.json', 'w').write(json.dumps(report | {{'animations': 'many'}}))",
    ],
)
def test_forged_results_are_not_followed(studio: Studio, tmp_path: Path, act: str) -> None:
    secret = tmp_path / "secret.mp4"
    secret.write_text("top secret")
    made = studio(FORGED.format(act=act.format(secret=str(secret))))
    assert made.render.error_kind is ErrorKind.PYTHON, made.render
    left = [path for path in made.folder.rglob("*") if path.is_file()]
    assert [path.name for path in left] == ["log.txt"] and "top secret" not in made.log


def test_a_result_that_is_not_a_link_but_a_lie_stays_typed(studio: Studio) -> None:
    lie = {"stage": "render", "error": {"type": "NameError", "message": "<script>\x1b[31m", "line": 1}}
    made = studio(FORGED.format(act=f"open('result.json', 'w').write(json.dumps({lie}))"))
    assert made.render.error_kind is ErrorKind.PYTHON and made.render.message == "NameError: <script>"


def test_code_cannot_pass_its_own_fault_off_as_ours(studio: Studio) -> None:
    lie = {"stage": "prepare", "error": {"type": "ImportError", "message": "manim is broken"}}
    made = studio(FORGED.format(act=f"open('result.json', 'w').write(json.dumps({lie}))"))
    assert made.render.error_kind is ErrorKind.PYTHON


def test_renders_do_not_see_each_other(studio: Studio) -> None:
    marker = uuid.uuid4().hex
    code = (
        STILL
        + f"import os\nfor f in ('/tmp', '/job'):\n    print('found', os.listdir(f))\n    open(f + '/{marker}', 'w')\n"
    )
    for _ in range(2):
        made = studio(code)
        assert made.render.ok and marker not in made.log


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a sandbox a uid of its own")
def test_a_sandbox_runs_as_a_uid_that_no_account_has(studio: Studio) -> None:
    made = studio(STILL + "import os\nprint(os.getuid(), os.getgid(), os.getgroups())\n")
    uid, gid, *groups = made.log.splitlines()[0].split()
    assert int(uid) > 1_000_000 and uid == gid and groups == ["[]"]
