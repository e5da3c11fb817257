"""Whether an endpoint is worth asking at all: some answers, and some silences, tell of every further question."""

from __future__ import annotations

from collections.abc import Coroutine
from typing import Any, TypeVar

from bakeoff.domain.errors import BakeoffError
from bakeoff.models.refusals import RefusedKeyError, UnknownModelError, UnreachedEndpointError

T = TypeVar("T")
DEAD_AFTER = 8
"""Questions given up, since no connection could be made before any ever was, after which nobody else is asked."""


class Hope:
    """Makes calls as long as one can succeed."""

    def __init__(self) -> None:
        """Hope for the best."""
        self.lost: BakeoffError | None = None
        """Why no call can succeed; None while one may."""
        self._reached, self._unreached = False, 0

    def renew(self) -> None:
        """Forget what was seen: whoever opens the model next may have mended it."""
        self.lost, self._reached, self._unreached = None, False, 0

    async def make(self, call: Coroutine[Any, Any, T]) -> T:
        """Make a call, unless an earlier one has shown that none can succeed.

        That is so when the key is refused or the model unknown; and when `DEAD_AFTER` calls found nobody, and none ever
        found anybody: the address is wrong, or its server is not running. An endpoint that has been there will come
        back, and each question waits for it with its own patience.

        Raises:
            BakeoffError: as the call, or as the one that showed it.
        """
        if self.lost:
            call.close()
            raise self.lost
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
