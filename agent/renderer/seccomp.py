"""The system-call filter of the sandbox, as the BPF program that bubblewrap loads."""

import errno
import os
from functools import cache

import pyseccomp

_OTHER_PROCESSES = ("ptrace", "process_vm_readv", "process_vm_writev", "process_madvise", "pidfd_getfd", "kcmp")
_KERNEL = ("bpf", "perf_event_open", "userfaultfd", "keyctl", "add_key", "request_key", "personality", "memfd_secret")
_QUEUES = ("io_uring_setup", "io_uring_enter", "io_uring_register", "fanotify_init")
_MOUNTS = ("mount", "umount2", "pivot_root", "chroot", "move_mount", "open_tree", "mount_setattr")
_FILE_SYSTEMS = ("fsopen", "fsmount", "fsconfig", "fspick", "open_by_handle_at", "name_to_handle_at", "quotactl")
_NAMESPACES = ("setns", "unshare")
_MODULES = ("kexec_load", "kexec_file_load", "init_module", "finit_module", "delete_module")
_MACHINE = ("swapon", "swapoff", "reboot", "syslog", "acct", "iopl", "ioperm")
_CLOCK = ("settimeofday", "clock_settime", "adjtimex", "clock_adjtime")
# Every family, local ones too: a local socket's path is all it takes to reach a database. `socketpair` stays.
_NETWORK = ("socket",)
_DENIED = (
    *_OTHER_PROCESSES,
    *_KERNEL,
    *_QUEUES,
    *_MOUNTS,
    *_FILE_SYSTEMS,
    *_NAMESPACES,
    *_MODULES,
    *_MACHINE,
    *_CLOCK,
    *_NETWORK,
)
# CLONE_NEWUSER, NEWPID, NEWNET, NEWNS, NEWUTS, NEWIPC, NEWCGROUP: `clone` must not make namespaces either.
_NAMESPACE_FLAGS = (0x10000000, 0x20000000, 0x40000000, 0x00020000, 0x04000000, 0x08000000, 0x02000000)


@cache
def program() -> bytes:
    """The compiled filter.

    `clone3` looks missing to the program, because a filter cannot read its flags; libc then uses `clone`.
    """
    denied = pyseccomp.ERRNO(errno.EPERM)
    rules = pyseccomp.SyscallFilter(pyseccomp.ALLOW)
    for name in _DENIED:
        if pyseccomp.resolve_syscall(pyseccomp.Arch.NATIVE, name) >= 0:
            rules.add_rule(denied, name)
    for flag in _NAMESPACE_FLAGS:
        rules.add_rule(denied, "clone", pyseccomp.Arg(0, pyseccomp.MASKED_EQ, flag, flag))
    rules.add_rule(pyseccomp.ERRNO(errno.ENOSYS), "clone3")
    descriptor = os.memfd_create("seccomp")
    with open(descriptor, "w+b") as file:  # noqa: PTH123 - a descriptor, not a path
        rules.export_bpf(file)
        file.seek(0)
        return file.read()


def descriptor() -> int:
    """A fresh readable descriptor of the program, for one bubblewrap; the caller closes it."""
    made = os.memfd_create("seccomp")
    os.write(made, program())
    os.lseek(made, 0, os.SEEK_SET)
    return made
