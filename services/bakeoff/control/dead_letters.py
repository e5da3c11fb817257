"""Dead letters as an operator reads them: what was given up, why, and whether it still counts."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

from bakeoff.contract import subjects
from bakeoff.contract.stored import decode
from bakeoff.contract.work_codec import dead_letter_from_bytes, done_fact_from_bytes
from bakeoff.control.renewal import is_current
from bakeoff.control.states import States
from bakeoff.domain.errors import NotFoundError
from bakeoff.domain.evaluation import Stage
from bakeoff.domain.work import DeadLetter, ItemOutcome, Plan
from bakeoff.runtime.bus import Bus
from bakeoff.runtime.objects import ObjectStore


@dataclass(frozen=True, slots=True)
class Entry:
    """A dead letter and what became of it."""

    letter: DeadLetter
    replayed: bool
    """Whether the item was taken up again since: the letter is history."""


@dataclass(frozen=True, slots=True)
class DeadLetters:
    """The dead letters of a bus."""

    bus: Bus
    objects: ObjectStore
    states: States

    async def all(self, evaluation_id: str = "", *, seen: Callable[[str], bool] = lambda tenant: True) -> list[Entry]:
        """Return the letters, the last of each item, oldest first.

        Args:
            evaluation_id: Only this evaluation's; empty means all.
            seen: Says whether those of a tenant are wanted.
        """
        last: dict[str, DeadLetter] = {}
        for message in await self.bus.messages(subjects.dead_of(evaluation_id)):
            letter = dead_letter_from_bytes(message.data)
            if seen(letter.task.tenant):
                last.pop(message.subject, None)
                last[message.subject] = letter
        plans: dict[str, Plan | None] = {}
        return [Entry(letter, not await self._counts(letter, plans)) for letter in last.values()]

    async def get(self, evaluation_id: str, stage: Stage, item: str) -> Entry:
        """Return the last letter of an item.

        Raises:
            NotFoundError: there is none.
        """
        message = await self.bus.last(subjects.dead(evaluation_id, stage, item))
        if message is None:
            raise NotFoundError(f"evaluation {evaluation_id!r} has no dead letter of the item {stage.value}/{item}")
        letter = dead_letter_from_bytes(message.data)
        return Entry(letter, not await self._counts(letter, {}))

    async def _counts(self, letter: DeadLetter, plans: dict[str, Plan | None]) -> bool:
        """Say whether an item is still of its evaluation's plan, and still has ended without a result."""
        task = letter.task
        message = await self.bus.last(subjects.done(task.evaluation_id, task.stage, task.item))
        if message is None or done_fact_from_bytes(message.data).outcome is not ItemOutcome.FAILED:
            return False
        if task.evaluation_id not in plans:
            plans[task.evaluation_id] = await self._plan(task.evaluation_id)
        plan = plans[task.evaluation_id]
        return task.stage is Stage.PREPARE or (plan is not None and is_current(plan, f"{task.stage.value}/{task.item}"))

    async def _plan(self, evaluation_id: str) -> Plan | None:
        record = await self.states.get(evaluation_id)
        if record is None or record.plan is None:
            return None
        return decode(await asyncio.to_thread(self.objects.read, record.plan), Plan)
