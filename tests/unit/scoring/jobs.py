"""Jobs for a process pool: they do what such jobs may do."""

from __future__ import annotations

import ctypes
import os
import time

LEAKED: list[bytes] = []


def dawdle() -> None:
    if not LEAKED:
        time.sleep(1.0)
        LEAKED.append(b"")


def twice(number: int) -> int:
    return 2 * number


def process_id() -> int:
    return os.getpid()


def hang() -> None:
    time.sleep(600)


def crash() -> None:
    ctypes.string_at(0)


def eat(size_bytes: int) -> int:
    return len(bytearray(size_bytes))


def leak(size_bytes: int) -> int:
    LEAKED.append(bytes(size_bytes))
    return os.getpid()


def fail(message: str) -> None:
    raise ValueError(message)


def shout() -> str:
    print("noise on standard output")
    os.system("echo more noise")
    return "heard"


class NotToBeUnpickledError(Exception):
    def __init__(self, one: str, two: str) -> None:
        super().__init__(one)


def fail_oddly() -> None:
    raise NotToBeUnpickledError("one", "two")


def secrets() -> dict[str, str]:
    return dict(os.environ)


def die_once(marker: str) -> str:
    """Kill the process unless the file is there."""
    if not os.path.exists(marker):  # noqa: PTH110
        with open(marker, "w"):  # noqa: PTH123
            pass
        os.abort()
    return "alive"
