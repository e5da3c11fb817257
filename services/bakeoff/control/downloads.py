"""The downloads of an evaluation that is being prepared: what their workers said last."""

from __future__ import annotations

import asyncio

from bakeoff.contract import subjects
from bakeoff.contract.codec import download_from_bytes
from bakeoff.control.tracker import Tracker
from bakeoff.domain.evaluation import Download, EvaluationRecord
from bakeoff.runtime.bus import Bus


async def downloads_of(record: EvaluationRecord, tracker: Tracker, bus: Bus) -> tuple[Download, ...]:
    """Return the last download of each benchmark that is being prepared; none once all are.

    Raises:
        OutOfReachError: the bus does not answer.
    """
    if record.plan is not None or record.state.ended:
        return ()
    items = [item.task.item for item in tracker.prepare if item.name not in tracker.facts]
    said = await asyncio.gather(*(bus.last(subjects.download(record.evaluation_id, item)) for item in items))
    return tuple(download_from_bytes(message.data) for message in said if message is not None)
