"""State documents of evaluations in their bucket: changed by compare-and-set only."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

from bakeoff.contract.stored import decode, encode
from bakeoff.contract.subjects import STATES_BUCKET
from bakeoff.domain.errors import InvalidInputError, NotFoundError
from bakeoff.domain.evaluation import EvaluationRecord
from bakeoff.domain.identity import token
from bakeoff.runtime import logs
from bakeoff.runtime.bus import Bus

log = logs.get("control")


@dataclass(frozen=True, slots=True)
class States:
    """The state documents on a bus."""

    bus: Bus

    async def get(self, evaluation_id: str) -> EvaluationRecord | None:
        """Return an evaluation's document; None when there is none."""
        entry = await self.bus.kv_get(STATES_BUCKET, token(evaluation_id))
        return None if entry is None else decode(entry.value, EvaluationRecord)

    async def need(self, evaluation_id: str) -> EvaluationRecord:
        """Return an evaluation's document.

        Raises:
            NotFoundError: there is none.
        """
        record = await self.get(evaluation_id) if evaluation_id else None
        if record is None:
            raise no_evaluation(evaluation_id)
        return record

    async def create(self, record: EvaluationRecord) -> bool:
        """Write the first document of an evaluation; False when there is one already."""
        return await self.bus.kv_create(STATES_BUCKET, token(record.evaluation_id), encode(record)) is not None

    async def change(
        self, evaluation_id: str, step: Callable[[EvaluationRecord], EvaluationRecord | None]
    ) -> EvaluationRecord:
        """Change a document, again and again until nobody was faster.

        Args:
            evaluation_id: Whose document.
            step: Gives the next document of the current one; None leaves it.

        Returns:
            The document as it then is.

        Raises:
            NotFoundError: there is none.
        """
        while True:
            entry = await self.bus.kv_get(STATES_BUCKET, token(evaluation_id))
            if entry is None:
                raise no_evaluation(evaluation_id)
            record = decode(entry.value, EvaluationRecord)
            following = step(record)
            if following is None or following == record:
                return record
            value = encode(following)
            if await self.bus.kv_update(STATES_BUCKET, token(evaluation_id), value, entry.revision) is not None:
                return following

    async def all(self) -> list[EvaluationRecord]:
        """Return all documents, by key; what is none, such as one of a later version, is left to who can read it."""
        keys = await self.bus.kv_keys(STATES_BUCKET)
        entries = await asyncio.gather(*(self.bus.kv_get(STATES_BUCKET, key) for key in keys))
        records = (_read(key, entry.value) for key, entry in zip(keys, entries, strict=True) if entry is not None)
        return [record for record in records if record is not None]


def _read(key: str, value: bytes) -> EvaluationRecord | None:
    try:
        return decode(value, EvaluationRecord)
    except InvalidInputError as error:
        log.error("state document cannot be read", key=key, reason=str(error))
        return None


def no_evaluation(evaluation_id: str) -> NotFoundError:
    """Return the error of an evaluation that there is not; of another tenant's, too."""
    return NotFoundError(f"there is no evaluation {evaluation_id!r}")
