"""Ports of this machine that nobody uses, and that nobody else is told to use."""

from __future__ import annotations

import contextlib
import fcntl
import os
import secrets
import socket
import tempfile
from functools import cache
from pathlib import Path

from bakeoff.domain.errors import OutOfReachError

LOOPBACK = "127.0.0.1"
PORTS = range(10_240, 30_000)
"""Where free ports are looked for: Linux hands out those from 32768 by itself, other systems those from 49152."""
CLAIMS = "bakeoff-ports"
"""Begin of the name of a file of nothing: who holds the lock on its byte N has been given port N."""

_given: set[int] = set()


def free_port() -> int:
    """Return a port of the loopback address that nobody listens on now; somebody may take it before its use."""
    return free_ports(1)[0]


def free_ports(count: int) -> list[int]:
    """Return so many different ports of the loopback address that nobody listens on now.

    They are below those that systems hand out by themselves, so that no outgoing connection and no server without a
    port of its own takes one in between; and none that this process was given before, or that another one was given
    by this function and still runs: it may just be starting what will listen there, or starting it again.

    Raises:
        OutOfReachError: so many are not to be had.
    """
    found: list[int] = []
    for _ in range(10 * len(PORTS)):
        if len(found) == count:
            return found
        port = secrets.choice(PORTS)
        if port not in _given and _is_free(port) and _claim(port):
            _given.add(port)
            found.append(port)
    raise OutOfReachError(f"no {count} ports of {LOOPBACK} from {PORTS[0]} to {PORTS[-1]} are free")


def _is_free(port: int) -> bool:
    with socket.socket() as candidate:
        try:
            candidate.bind((LOOPBACK, port))
        except OSError:
            return False
        return True


def _claim(port: int) -> bool:
    """Keep a port from other processes until this one ends; return False when one of them has it."""
    claims = _claims()
    if claims is None:
        return True
    try:
        fcntl.lockf(claims, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, port)
    except (BlockingIOError, PermissionError):
        return False
    except OSError:  # a file system without locks
        return True
    return True


@cache
def _claims() -> int | None:
    """Open the file of claims, never to close it, as that would end them; None where it cannot be."""
    with contextlib.suppress(OSError):
        file = Path(tempfile.gettempdir()) / f"{CLAIMS}-{os.getuid()}"
        return os.open(file, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    return None
