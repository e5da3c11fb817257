"""The inside of the sandbox: shuts itself in, runs the program, and says how it ended.

It stands alone, on the standard library only: it is run by its path in a fresh Python without site packages. The order
comes as JSON on standard input; the report goes as JSON to the file descriptor that is named by the first argument.
"""

# pathlib and what it imports would take as long as all the rest of a start.
# ruff: noqa: PTH101, PTH103, PTH108, PTH109, PTH110, PTH112, PTH114, PTH115, PTH120, PTH123, PTH211

from __future__ import annotations

import ctypes
import json
import os
import platform
import resource
import select
import signal
import sys
from typing import Any

CLONE_NEWNS, CLONE_NEWIPC, CLONE_NEWUSER, CLONE_NEWPID, CLONE_NEWNET = (
    0x00020000,
    0x08000000,
    0x10000000,
    0x20000000,
    0x40000000,
)
MS_NOSUID, MS_NODEV, MS_BIND, MS_REC, MS_PRIVATE = 2, 4, 4096, 16384, 1 << 18
PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_SET_NO_NEW_PRIVS = 1, 4, 38
AT_FDCWD, AT_RECURSIVE = -100, 0x8000
MOUNT_SETATTR = 442  # the same on all machines, since Linux 5.12
READ_ONLY = (ctypes.c_uint64 * 4)(1 | 2 | 4, 0, 0, 0)  # RDONLY | NOSUID | NODEV
LIBRARIES = ("/lib", "/lib64", "/usr/lib", "/usr/lib64", "/etc/ld.so.cache")
DEVICES = ("/dev/null", "/dev/zero", "/dev/urandom", "/dev/random")
MOUNT_POINTS = ("/mnt", "/srv", "/media", "/tmp", "/var/tmp", "/home")
FIRST_UID = 1_000_000
"""Each sandbox of a root process has a user of its own, so that its processes can be counted."""
NOBODY = 65534
INSIDE_UID = 1000
MARK_FD, NONCE_FD, PROGRAM_FD = 3, 4, 5
HOME = "/work"
libc = ctypes.CDLL(None, use_errno=True)


class Refused(Exception):  # noqa: N818  # it is a report, not an error of this program
    """The kernel does not allow what the sandbox needs."""


def main() -> None:
    """Do what the order says."""
    report_fd = int(sys.argv[1])
    order = json.load(sys.stdin)
    _close_all_but(report_fd)
    try:
        if order["confined"]:
            _leave_the_world()
        report = _in_the_first_process(order)
    except Refused as refusal:
        report = {"refused": str(refusal)}
    os.write(report_fd, json.dumps(report).encode())
    os._exit(0)


def _in_the_first_process(order: dict[str, Any]) -> dict[str, Any]:
    # The first child is process 1 of the new process space: when it ends, the kernel kills all that is left there.
    read, write = os.pipe()
    if os.fork():
        os.close(write)
        with os.fdopen(read, "rb") as pipe:
            text = pipe.read()
        os.wait()
        return json.loads(text) if text else {"refused": "the first process of the sandbox died"}
    _call("prctl", PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    try:
        home = _shut_in(order) if order["confined"] else os.getcwd()
        report = _run(order, home, write)
    except Refused as refusal:
        report = {"refused": str(refusal)}
    os.write(write, json.dumps(report).encode())
    os._exit(0)


def _leave_the_world() -> None:
    spaces = CLONE_NEWNET | CLONE_NEWNS | CLONE_NEWIPC | CLONE_NEWPID
    if os.geteuid() == 0:
        _call("unshare", spaces)
        return
    uid, gid = os.geteuid(), os.getegid()
    _call("unshare", spaces | CLONE_NEWUSER)
    for name, text in (
        ("setgroups", "deny"),
        ("uid_map", f"{INSIDE_UID} {uid} 1"),
        ("gid_map", f"{INSIDE_UID} {gid} 1"),
    ):
        try:
            with open(f"/proc/self/{name}", "w") as file:
                file.write(text)
        except OSError as error:
            raise Refused(f"/proc/self/{name} cannot be written: {error.strerror}") from None


def _shut_in(order: dict[str, Any]) -> str:
    os.umask(0o022)
    sources = [sys.base_prefix, *LIBRARIES]
    root = next((point for point in MOUNT_POINTS if os.path.isdir(point) and not _holds_any(point, sources)), None)
    if root is None:
        raise Refused(f"none of {', '.join(MOUNT_POINTS)} can be mounted over")
    _call("mount", None, b"/", None, MS_REC | MS_PRIVATE, None)
    size = f"size={order['limits']['disk_bytes']},nr_inodes=10000,mode=0755".encode()
    _call("mount", b"tmpfs", root.encode(), b"tmpfs", MS_NOSUID | MS_NODEV, size)
    shown: list[str] = []
    for source in sources:
        if os.path.exists(source) and not any(_inside(source, path) for path in shown):
            _show(source, root)
            shown.append(source)
    for device in DEVICES:
        _bind(device, root + device)
    for folder in (HOME, "/tmp"):
        os.makedirs(root + folder, exist_ok=True)
        os.chmod(root + folder, 0o1777)
    os.chroot(root)
    os.chdir(HOME)
    return HOME


def _holds_any(point: str, sources: list[str]) -> bool:
    return any(_inside(os.path.realpath(source), point) for source in sources)


def _inside(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip("/") + "/")


def _show(source: str, root: str) -> None:
    target = root + source
    if os.path.islink(source):
        os.makedirs(os.path.dirname(target), exist_ok=True)
        os.symlink(os.readlink(source), target)
        return
    _bind(source, target)
    if libc.syscall(MOUNT_SETATTR, AT_FDCWD, target.encode(), AT_RECURSIVE, READ_ONLY, ctypes.sizeof(READ_ONLY)):
        raise Refused(f"{source} cannot be made read-only: {os.strerror(ctypes.get_errno())}")


def _bind(source: str, target: str) -> None:
    if not os.path.exists(source):
        return
    if os.path.isdir(source):
        os.makedirs(target, exist_ok=True)
    else:
        os.makedirs(os.path.dirname(target), exist_ok=True)
        os.close(os.open(target, os.O_CREAT | os.O_WRONLY, 0o644))
    _call("mount", source.encode(), target.encode(), None, MS_BIND | MS_REC, None)


def _run(order: dict[str, Any], home: str, report_fd: int) -> dict[str, Any]:
    mark_read, mark_write = os.pipe()
    nonce_read, nonce_write = os.pipe()
    os.write(nonce_write, order["nonce"].encode())
    os.close(nonce_write)
    trouble_read, trouble_write = os.pipe()  # closed by a start that succeeds: the program never has it
    program = _unnamed_file(home, order["program"])
    pid = os.fork()
    if pid == 0:
        os.close(report_fd)
        _become_the_program(order, home, (mark_write, nonce_read, program), trouble_write)
    for fd in (mark_write, nonce_read, program, trouble_write):
        os.close(fd)
    if trouble := os.read(trouble_read, 1000):
        raise Refused(f"the program could not be started: {trouble.decode(errors='replace')}")
    _, status, used = os.wait4(pid, 0)
    # Processes that it left behind may hold the pipe open: take what is there.
    mark = os.read(mark_read, 1000) if select.select([mark_read], [], [], 0)[0] else b""
    return {
        "status": status,
        "finished": mark == order["nonce"].encode(),
        "cpu_s": used.ru_utime + used.ru_stime,
        "peak_bytes": used.ru_maxrss * (1 if sys.platform == "darwin" else 1024),
    }


def _unnamed_file(home: str, text: str) -> int:
    path = f"{home}/program"
    fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
    os.unlink(path)
    with os.fdopen(os.dup(fd), "w", encoding="utf-8") as file:
        file.write(text)
    os.lseek(fd, 0, os.SEEK_SET)
    return fd


def _become_the_program(order: dict[str, Any], home: str, fds: tuple[int, int, int], trouble: int) -> None:
    try:
        trouble = os.dup2(trouble, 103, inheritable=False)
        # By way of numbers that are free for sure.
        far = [os.dup2(fd, 100 + place, inheritable=False) for place, fd in enumerate(fds)]
        for fd, wanted in zip(far, (MARK_FD, NONCE_FD, PROGRAM_FD), strict=True):
            os.dup2(fd, wanted)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        os.closerange(PROGRAM_FD + 1, trouble)
        _limit(order["limits"])
        _drop_rights(order["confined"])
        environment = {"HOME": home, "TMPDIR": home, "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "PYTHONHASHSEED": "0"}
        # -E would leave out PYTHONHASHSEED; -P and -s keep the work folder and the user's packages out of the path.
        command = [sys.executable, "-P", "-s", "-S", "-B", "-X", "utf8", "-c", order["driver"]]
        os.execve(sys.executable, command, environment)
    except BaseException as error:
        os.write(trouble, str(error).encode())
    finally:
        os._exit(126)


def _limit(limits: dict[str, Any]) -> None:
    cpu = max(int(limits["cpu_s"]), 1)
    for what, value in (
        (resource.RLIMIT_CPU, (cpu, cpu + 1)),
        (resource.RLIMIT_AS, (limits["memory_bytes"],) * 2),
        (resource.RLIMIT_FSIZE, (limits["file_bytes"],) * 2),
        (resource.RLIMIT_NPROC, (limits["processes"],) * 2),
        (resource.RLIMIT_NOFILE, (64, 64)),
        (resource.RLIMIT_CORE, (0, 0)),
    ):
        resource.setrlimit(what, value)


def _drop_rights(confined: bool) -> None:
    if confined and os.geteuid() == 0:
        os.setgroups([])
        for uid in (FIRST_UID + int.from_bytes(os.urandom(3), "big"), NOBODY):
            try:
                os.setresgid(uid, uid, uid)
                os.setresuid(uid, uid, uid)
                break
            except OSError:
                continue  # a container with few user ids
        else:
            raise Refused("the rights of root cannot be given up")
    if platform.system() == "Linux":
        _call("prctl", PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)


def _close_all_but(report_fd: int) -> None:
    os.closerange(3, report_fd)
    os.closerange(report_fd + 1, 4096)


def _call(name: str, *arguments: object) -> None:
    function = getattr(libc, name, None)
    if function is None:
        raise Refused(f"this system has no {name}")
    if function(*arguments):
        raise Refused(f"{name} is not permitted here: {os.strerror(ctypes.get_errno())}")


if __name__ == "__main__":
    main()
