"""A process that parses what it is sent: `python -m bakeoff.knowledge.parser_child`, orders on standard input.

Each message is a length of 8 bytes, then MessagePack. A document that breaks the process breaks nothing else.
"""

from __future__ import annotations

import importlib
import os
import resource
import signal
import struct
import sys
from dataclasses import dataclass, field
from typing import IO

import msgspec

from bakeoff.knowledge.parsing import ParsedDocument, SourceDocument, UnreadableDocumentError

LENGTH = struct.Struct("<Q")


@dataclass(frozen=True, slots=True)
class Order:
    """What to parse, how, and what that may take."""

    module: str
    function: str
    source: SourceDocument
    settings: dict[str, object] = field(default_factory=dict)
    cpu_s: float = 60.0
    """Seconds of CPU time, rounded up to whole ones."""
    memory_bytes: int = 2 << 30
    """Address space of the whole process."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of it: one of the three."""

    parsed: ParsedDocument | None = None
    unreadable: str = ""
    """Why the document cannot be read."""
    fault: str = ""
    """Error of another class: a fault of the parser."""


def write_message(pipe: IO[bytes], message: object) -> None:
    """Send a message.

    Raises:
        OSError: nobody is at the other end.
    """
    data = msgspec.msgpack.encode(message)
    pipe.write(LENGTH.pack(len(data)))
    pipe.write(data)
    pipe.flush()


def read_message(pipe: IO[bytes]) -> bytes | None:
    """Return the next message, still encoded; None when the other end is gone."""
    head = pipe.read(LENGTH.size)
    if len(head) < LENGTH.size:
        return None
    (length,) = LENGTH.unpack(head)
    data = pipe.read(length)
    return data if len(data) == length else None


def main() -> None:
    """Parse until the other end closes the pipe."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides when this ends
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    # What libraries print must not mix with what the parent reads.
    voice = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    decoder = msgspec.msgpack.Decoder(Order)
    while (data := read_message(sys.stdin.buffer)) is not None:
        write_message(voice, _outcome(decoder.decode(data)))


def _outcome(order: Order) -> Outcome:
    spent = sum(resource.getrusage(resource.RUSAGE_SELF)[:2])
    # The kernel ends the process at the limit, also in the midst of a library's loop.
    _limit(resource.RLIMIT_CPU, int(spent + order.cpu_s) + 1)
    _limit(resource.RLIMIT_AS, order.memory_bytes)
    try:
        read = getattr(importlib.import_module(order.module), order.function)
        return Outcome(parsed=read(order.source, **order.settings))
    except UnreadableDocumentError as error:
        return Outcome(unreadable=str(error))
    except MemoryError:
        return Outcome(unreadable=f"parsing it takes more than {order.memory_bytes >> 20} MiB of memory")
    except Exception as error:  # a fault of the parser or its library with this document alone
        return Outcome(fault=f"{type(error).__name__}: {error}")


def _limit(what: int, most: int) -> None:
    """Set a limit that can be set anew, at most as high as this process may."""
    _, hard = resource.getrlimit(what)
    resource.setrlimit(what, (most if hard == resource.RLIM_INFINITY else min(most, hard), hard))


if __name__ == "__main__":
    main()
