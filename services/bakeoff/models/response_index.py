"""Which responses are kept, as of a moment ago: what was never stored need not be looked for one by one."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Awaitable, Callable
from concurrent.futures import Future

from bakeoff.contract import object_keys

LISTED_FOR_ONE = 10
"""Keys that can be listed in the time in which one object is looked up in vain; measured on S3."""
LISTING_SHARE = 1 / 20
"""Of the time that listings may take: a list is believed for so many times the time that it took."""
SHORTEST_S = 1.0
"""For which a list is believed, at least."""
LONGEST_S = 10.0
"""And at most, unless told otherwise."""

ListKeys = Callable[[str], Awaitable[list[str]]]


class ResponseIndex:
    """The keys of the responses that a process knows of. Thread-safe.

    What this process stores, it knows. What others store it learns from lists, which it asks for when single lookups
    have cost as much as a list would. A list is believed only if it was begun after those who ask began, or the
    evaluation that they work for, so that a repeated evaluation finds everything; and for so short a time that the
    work of a process that was killed, given to this one, finds what that one has stored.
    """

    def __init__(
        self, keys: ListKeys, longest_s: float = LONGEST_S, *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        """Know nothing yet.

        Args:
            keys: Lists the keys with a prefix.
            longest_s: Seconds for which a list is believed, at most.
            clock: Tells seconds.
        """
        self._clock = clock
        self._keys = keys
        self._longest_s = longest_s
        self._lock = threading.Lock()
        self._known: set[str] = set()
        self._stored: set[str] = set()
        """What this process has stored since the list in `known` was begun."""
        self._there: int | None = None
        """Responses that are kept, about; None while nobody has looked."""
        self._began_s = -float("inf")
        self._believed_until_s = -float("inf")
        self._needed_s = -float("inf")
        """A list that was begun before is not believed."""
        self._scopes: dict[str, float] = {}
        self._asking = 0
        self._lookups = 0
        """Since the last list."""
        self._listing: Future[None] | None = None

    def knows(self, key: str) -> bool | None:
        """Say whether a response is kept; None when only a lookup can tell, which is then counted as one."""
        if key in self._known or key in self._stored:
            return True
        if self._asking and self._fresh():
            return False
        self._lookups += 1
        return None

    def add(self, key: str) -> None:
        """Learn that a response is kept."""
        with self._lock:
            self._stored.add(key)

    async def begin(self, lookups: int, scope: str = "") -> None:
        """Prepare for lookups, and list what is kept when that is quicker. `end` follows.

        Args:
            lookups: How many, about.
            scope: On whose behalf: a list that was begun after the first lookup of a scope serves all its others. Empty
                asks for a list that begins now.

        Raises:
            OutOfReachError: the store does not answer.
        """
        now_s = self._clock()
        with self._lock:
            self._asking += 1
            self._needed_s = max(self._needed_s, self._scopes.setdefault(scope, now_s) if scope else now_s)
        try:
            if not self._fresh() and await self._worth_a_list(lookups):
                await self._list()
        except BaseException:
            self.end()
            raise

    def end(self) -> None:
        """Say that the lookups are done: those that come unprepared believe no list."""
        with self._lock:
            self._asking -= 1

    def _fresh(self) -> bool:
        return self._began_s >= self._needed_s and self._clock() < self._believed_until_s

    async def _worth_a_list(self, lookups: int) -> bool:
        if self._there is None:
            self._there = 256 * len(await self._keys(object_keys.response_prefix("00")))
        return max(self._there, len(self._known)) <= (self._lookups + lookups) * LISTED_FOR_ONE

    async def _list(self) -> None:
        """List what is kept, or wait for whoever does."""
        with self._lock:
            listing, mine = self._listing, Future[None]()
            if listing is None:
                self._listing = mine
                self._stored, before = set(), self._stored
                self._known |= before
        if listing is not None:
            await asyncio.shield(asyncio.wrap_future(listing))
            return
        try:
            began_s = self._clock()
            known = set(await self._keys(object_keys.response_prefix()))
            ended_s = self._clock()
            with self._lock:
                self._known, self._there, self._lookups, self._began_s = known, len(known), 0, began_s
                believed_s = max(SHORTEST_S, (ended_s - began_s) / LISTING_SHARE)
                self._believed_until_s = began_s + min(self._longest_s, believed_s)
        finally:
            self._listing = None
            mine.set_result(None)
