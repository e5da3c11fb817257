"""Whether an endpoint is worth asking at all: some answers, and some silences, tell of every further question."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

from bakeoff.domain.errors import BakeoffError
from bakeoff.models.refusals import RefusedKeyError, UnknownModelError, UnreachedEndpointError

T = TypeVar("T")
DEAD_AFTER = 8
"""Questions given up, since no connection could be made before any ever was, after which nobody else is asked."""
AT_FIRST = 8
"""Questions in flight until the first of them has shown that somebody is there: a wrong name or key costs no more."""


class Hope:
    """Makes calls as long as one can succeed."""

    def __init__(self) -> None:
        """Hope for the best."""
        self.lost: BakeoffError | None = None
        """Why no call can succeed; None while one may."""
        self._reached, self._unreached = False, 0
        self._in_flight = 0
        self._news = asyncio.Event()

    def renew(self) -> None:
        """Forget what was seen: whoever opens the model next may have mended it."""
        self.lost, self._reached, self._unreached = None, False, 0

    def heard(self) -> None:
        """Take note that an endpoint has replied as one that may answer: even a refusal for now is such a reply."""
        self._reached = True
        self._tell()

    def _tell(self) -> None:
        self._news.set()
        self._news = asyncio.Event()

    async def make(self, call: Coroutine[Any, Any, T]) -> T:
        """Make a call, unless an earlier one has shown that none can succeed.

        Until somebody is `heard`, no more than `AT_FIRST` are made at a time. None can succeed when the key is
        refused or the model unknown; and when `DEAD_AFTER` calls found nobody, and none ever found anybody: the address
        is wrong, or its server is not running. An endpoint that has been there will come back, and each question waits
        for it with its own patience.

        Raises:
            BakeoffError: as the call, or as the one that showed it.
        """
        try:
            while self._in_flight >= AT_FIRST and not (self._reached or self.lost):
                await self._news.wait()
        except asyncio.CancelledError:
            call.close()
            raise
        if self.lost:
            call.close()
            raise self.lost
        self._in_flight += 1
        try:
            return await self._watched(call)
        finally:
            self._in_flight -= 1
            self._tell()

    async def _watched(self, call: Coroutine[Any, Any, T]) -> T:
        try:
            found = await call
        except (RefusedKeyError, UnknownModelError) as error:
            self.lost = error
            raise
        except UnreachedEndpointError as error:
            self._unreached += 1
            if not self._reached and self._unreached >= DEAD_AFTER:
                self.lost = error
            raise
        except BakeoffError:
            self._reached = True
            raise
        self._reached = True
        return found
