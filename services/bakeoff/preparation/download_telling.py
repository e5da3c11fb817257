"""Telling those who follow an evaluation how far the download of a benchmark's file is: about once a second."""

from __future__ import annotations

import time
from collections.abc import Callable
from urllib.parse import urlsplit, urlunsplit

from bakeoff.domain.benchmark import BenchmarkResource
from bakeoff.domain.evaluation import Download

EVERY_S = 1.0
MAX_ADDRESS = 500
"""Characters of an address that are told: the message has to stay small."""


class DownloadTelling:
    """Thins out the progress of the downloads of one benchmark, which come one after the other."""

    def __init__(
        self, benchmark: str, tell: Callable[[Download], None], clock: Callable[[], float] = time.monotonic
    ) -> None:
        """Begin with nothing told.

        Args:
            benchmark: Its name in the report.
            tell: Takes what is told.
            clock: Seconds that only grow.
        """
        self._benchmark = benchmark
        self._tell = tell
        self._clock = clock
        self._told_at = float("-inf")
        self._open = ""
        """Address that was told last, if more of it was to come."""

    def progress(self, resource: BenchmarkResource, there: int, total: int | None) -> None:
        """Tell it when the last time is a second ago; that a download which was told is complete, always."""
        complete = there == total
        clock = self._clock()
        if clock - self._told_at < EVERY_S and not (complete and self._open == resource.uri):
            return
        self._told_at, self._open = clock, "" if complete else resource.uri
        self._tell(Download(self._benchmark, shown_address(resource.uri), there, total))


def shown_address(uri: str) -> str:
    """Return an address without what may be secret: user and password, query and fragment."""
    parts = urlsplit(uri)
    host = parts.netloc.rpartition("@")[2]
    return urlunsplit((parts.scheme, host, parts.path, "", ""))[:MAX_ADDRESS]
