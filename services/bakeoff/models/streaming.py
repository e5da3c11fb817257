"""An answer that comes in pieces: server-sent events, and what they add up to."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from bakeoff.models.refusals import EndpointTroubleError
from bakeoff.models.replies import Answer, Reply, TokenCounts, finished, read

LINE_END = re.compile(rb"\r\n|\n|\r")
LARGEST_EVENT = 16 << 20
"""Bytes without the end of an event after which a stream is given up: memory stays bounded."""
DONE = b"[DONE]"


@dataclass(slots=True)
class Events:
    """Cuts bytes into the data of server-sent events, however the network cut them.

    Source: WHATWG HTML, 9.2.6 "Interpreting an event stream"; names and ids of events are not used.
    """

    _rest: bytes = b""
    _data: list[bytes] = field(default_factory=list)

    def feed(self, chunk: bytes) -> Iterator[bytes]:
        """Yield the data of each event that the bytes complete.

        Raises:
            EndpointTroubleError: an event is larger than LARGEST_EVENT.
        """
        lines = LINE_END.split(self._rest + chunk)
        self._rest = lines.pop()
        if chunk.endswith(b"\r"):
            # A line feed may follow that belongs to it: kept back with its line until that is known.
            self._rest = (lines.pop() if lines else b"") + b"\r"
        if len(self._rest) + sum(map(len, self._data)) > LARGEST_EVENT:
            raise EndpointTroubleError(f"the endpoint streams an event of more than {LARGEST_EVENT} bytes")
        for line in lines:
            yield from self._line(line)

    def _line(self, line: bytes) -> Iterator[bytes]:
        if not line and self._data:
            yield b"\n".join(self._data)
            self._data.clear()
        elif line.startswith(b"data:"):
            self._data.append(line[5:].removeprefix(b" "))

    def end(self) -> Iterator[bytes]:
        """Yield the data of a last event that no empty line has ended; some servers end so."""
        yield from self._line(self._rest.strip(b"\r"))
        yield from self._line(b"")


@dataclass(slots=True)
class StreamedAnswer:
    """What the events of one answer add up to."""

    done: bool = False
    """Whether the stream said that it is complete."""
    failed: bytes | None = None
    """The body of an error that came instead of the next piece; None when none did."""
    _words: list[str] = field(default_factory=list)
    _finish_reason: str | None = None
    _counts: TokenCounts = field(default_factory=TokenCounts)
    _first_s: float | None = None
    _last_s: float | None = None

    def take(self, data: bytes, now_s: float) -> None:
        """Add an event.

        Args:
            data: Its data.
            now_s: When it came.

        Raises:
            EndpointTroubleError: it cannot be read.
        """
        if data.strip() == DONE:
            self.done = True
            return
        reply = read(data, Reply)
        if reply.is_error:
            self.failed = data
            return
        self._counts = reply.usage or self._counts
        for choice in reply.choices or ():
            if choice.index:
                continue
            self._finish_reason = choice.finish_reason or self._finish_reason
            if words := choice.words:
                self._words.append(words)
                self._first_s = now_s if self._first_s is None else self._first_s
                self._last_s = now_s

    def answer(self) -> Answer:
        """Return the whole answer.

        Raises:
            EndpointTroubleError: the stream ended before the answer did.
        """
        reason = finished(self._finish_reason)
        return Answer("".join(self._words), reason, self._counts, len(self._words), self._first_s, self._last_s)
