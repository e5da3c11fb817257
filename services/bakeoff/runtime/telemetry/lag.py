"""How far the workers of each stage are behind, looked up on the bus now and again."""

from __future__ import annotations

import asyncio

from bakeoff.contract import subjects
from bakeoff.domain.errors import OutOfReachError
from bakeoff.domain.evaluation import Stage
from bakeoff.runtime.bus import Bus
from bakeoff.runtime.telemetry import metrics, names

EVERY_S = 5.0
"""Prometheus reads no more often by default; a look costs the server six small requests."""


async def watch_lag(bus: Bus) -> None:
    """Tell the lag of every stage until cancelled. Several processes tell the same: take the maximum."""
    while True:
        try:
            for stage in Stage:
                standing = await bus.standing(subjects.stage_consumer(stage, 0.0))
                if standing is not None:
                    metrics.level(names.LAG, standing.waiting + standing.in_hand, stage=stage.value)
                    metrics.level(names.IN_HAND, standing.in_hand, stage=stage.value)
        except OutOfReachError:
            pass  # told by the metric of readiness
        await asyncio.sleep(EVERY_S)
