"""Runs an agent's command within limits, and ends every process that it began, wherever that one has gone.

It stands alone, on the standard library only: it is run by its path. Arguments: bytes of memory (0 for no limit), bytes
of one file, and the command.
"""

from __future__ import annotations

import ctypes
import os
import resource
import signal
import sys
import time
from pathlib import Path
from types import FrameType

PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36
CANNOT_START = 127


def main() -> None:
    """Run the command; its status is this one's."""
    memory_bytes, file_bytes, command = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:]
    signal.signal(signal.SIGTERM, _stop)
    if sys.platform == "linux":
        libc = ctypes.CDLL(None)
        libc.prctl(PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)
        # What loses its parent becomes this one's child, so that nothing gets away.
        libc.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    child = os.fork()
    if child == 0:
        _become(command, memory_bytes, file_bytes)
    _, status = os.waitpid(child, 0)
    _end_all()
    code = os.waitstatus_to_exitcode(status)
    os._exit(code if code >= 0 else 128 - code)


def _become(command: list[str], memory_bytes: int, file_bytes: int) -> None:
    try:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        if memory_bytes:
            resource.setrlimit(resource.RLIMIT_AS, (memory_bytes, memory_bytes))
        resource.setrlimit(resource.RLIMIT_FSIZE, (file_bytes, file_bytes))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        os.execvp(command[0], command)
    except OSError as error:
        sys.stderr.write(f"bakeoff: {command[0]!r} cannot be started: {error.strerror}\n")
        sys.stderr.flush()
    os._exit(CANNOT_START)


def _stop(number: int, frame: FrameType | None) -> None:
    _end_all()
    os._exit(128 + number)


def _end_all() -> None:
    """End all children until there are none: the orphans of an ended one become children in turn."""
    until = time.monotonic() + 5
    while time.monotonic() < until:
        for pid in _children():
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                continue
        try:
            while os.waitpid(-1, os.WNOHANG) != (0, 0):
                pass
        except ChildProcessError:
            return
        time.sleep(0.01)


def _children() -> list[int]:
    path = Path(f"/proc/self/task/{os.getpid()}/children")
    try:
        return [int(pid) for pid in path.read_text().split()]
    except OSError:
        return _by_parent(os.getpid())


def _by_parent(parent: int) -> list[int]:
    """Return the children by looking at every process: a kernel need not keep the list."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[1]) == parent:
            found.append(int(stat.parent.name))
    return found


if __name__ == "__main__":
    main()
