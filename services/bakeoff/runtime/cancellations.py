"""Which evaluations were cancelled, looked up now and then and remembered in between."""

from __future__ import annotations

import time

from bakeoff.contract.stored import decode
from bakeoff.contract.subjects import STATES_BUCKET
from bakeoff.domain.errors import OutOfReachError
from bakeoff.domain.evaluation import EvaluationRecord, EvaluationState
from bakeoff.domain.identity import token
from bakeoff.runtime.bus import Bus

FRESH_S = 0.4


class Cancellations:
    """A short-lived memory of state documents, shared by the items of a process."""

    def __init__(self, bus: Bus) -> None:
        """Look states up on a bus."""
        self._bus = bus
        self._known: dict[str, tuple[float, bool]] = {}

    async def is_cancelled(self, evaluation_id: str) -> bool:
        """Return whether an evaluation was cancelled, as of less than a second ago; False when nobody can tell."""
        when, cancelled = self._known.get(evaluation_id, (0.0, False))
        if time.monotonic() - when < FRESH_S:
            return cancelled
        try:
            entry = await self._bus.kv_get(STATES_BUCKET, token(evaluation_id))
        except OutOfReachError:
            return False
        cancelled = entry is not None and decode(entry.value, EvaluationRecord).state is EvaluationState.CANCELLED
        self._known = {key: known for key, known in self._known.items() if time.monotonic() - known[0] < 60}
        self._known[evaluation_id] = (time.monotonic(), cancelled)
        return cancelled
