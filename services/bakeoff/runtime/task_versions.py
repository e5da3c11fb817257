"""Whether a task is for this worker: while a service is upgraded, workers of two versions take from one queue."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from enum import Enum

from bakeoff.contract import subjects
from bakeoff.contract.announcements import read_cards
from bakeoff.domain.component import ComponentCard
from bakeoff.domain.errors import InvalidInputError
from bakeoff.domain.work import Task
from bakeoff.runtime.bus import Bus

LOOK_S = 5.0
"""Seconds for which an announcement that was read is believed."""


class Fit(Enum):
    """Whether a worker is the one for a task."""

    OURS = "ours"
    """It has the versions, or any will do."""
    OTHERS = "others"
    """It has not; workers that have them may be about."""
    NOBODYS = "nobodys"
    """It has not, and nobody who has them has been seen for long."""


class TaskVersions:
    """Compares what tasks are planned with and what this process runs."""

    def __init__(
        self,
        bus: Bus,
        service: str,
        cards: Iterable[ComponentCard],
        upgrade_s: float,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Know the components of this process.

        Args:
            bus: Where the newest process of the service has announced its own.
            service: Whose process this is.
            cards: Of the components that it runs.
            upgrade_s: Seconds after the start of this process for which others may still run what it does not.
            clock: Seconds that only grow.
        """
        self._bus = bus
        self._service = service
        self._ours = of_cards(cards)
        self._upgrade_s = upgrade_s
        self._clock = clock
        self._started = clock()
        self._announced: Mapping[str, str] = {}
        self._looked = float("-inf")

    async def fit(self, task: Task) -> Fit:
        """Say whether a task is for this worker.

        Raises:
            OutOfReachError: the bus does not say what is announced.
        """
        if not self._wrong(task.versions):
            return Fit.OURS
        await self._look()
        needed = self._needed(task)
        if not self._wrong(needed):
            return Fit.OURS
        if all(self._announced.get(name) == version for name, version in needed.items()):
            return Fit.OTHERS
        return Fit.OTHERS if self._clock() - self._started < self._upgrade_s else Fit.NOBODYS

    def refusal(self, task: Task) -> InvalidInputError:
        """Return why a task that is nobody's is given up."""
        wrong = self._wrong(self._needed(task))
        told = ", ".join(f"{name} {wrong[name]}, here {self._ours.get(name, 'not at all')}" for name in sorted(wrong))
        return InvalidInputError(
            f"{task.item} was planned with other versions of its components ({told}), and workers that have them are "
            "gone; submit the file again with --fresh"
        )

    def _wrong(self, versions: Mapping[str, str]) -> dict[str, str]:
        return {name: version for name, version in versions.items() if self._ours.get(name) != version}

    def _needed(self, task: Task) -> dict[str, str]:
        """Return the versions that are this service's affair: an engine beside the indexes is not that of inference."""
        versions = task.versions
        return {name: versions[name] for name in versions if name in self._ours or name in self._announced}

    async def _look(self) -> None:
        if self._clock() - self._looked < LOOK_S:
            return
        entry = await self._bus.kv_get(subjects.COMPONENTS_BUCKET, self._service)
        self._announced = of_cards(read_cards(entry.value)) if entry else {}
        self._looked = self._clock()


def of_cards(cards: Iterable[ComponentCard]) -> dict[str, str]:
    """Return the versions of components by `kind:name`."""
    return {f"{card.kind.value}:{card.name}": card.version for card in cards}
