"""The downloads of an evaluation that is being prepared: what their workers said last."""

from __future__ import annotations

import asyncio

from bakeoff.contract import subjects
from bakeoff.contract.codec import download_from_bytes
from bakeoff.control.tracker import Tracker
from bakeoff.domain.errors import InvalidInputError
from bakeoff.domain.evaluation import Download, EvaluationRecord
from bakeoff.runtime.bus import Bus

SHOWN = 20
"""Benchmarks whose downloads are looked up: what is told has to fit into one message."""


async def downloads_of(record: EvaluationRecord, tracker: Tracker, bus: Bus) -> tuple[Download, ...]:
    """Return the last download of each benchmark that is being prepared; none once all are.

    Raises:
        OutOfReachError: the bus does not answer.
    """
    if record.plan is not None or record.state.ended:
        return ()
    items = [item.task.item for item in tracker.prepare if item.name not in tracker.facts][:SHOWN]
    said = await asyncio.gather(*(bus.last(subjects.download(record.evaluation_id, item)) for item in items))
    return tuple(each for message in said if message is not None for each in _read(message.data))


def _read(data: bytes) -> tuple[Download, ...]:
    """Return the download that a message tells of; none when it cannot be read, as it is for show only."""
    try:
        return (download_from_bytes(data),)
    except InvalidInputError:
        return ()
