"""The evaluations under way, as one control process knows them: looked up when it must be, else kept in mind."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field

from bakeoff.contract import subjects
from bakeoff.contract.stored import decode
from bakeoff.contract.work_codec import done_fact_from_bytes
from bakeoff.control.frontier import Frontier
from bakeoff.control.planning import items_to_do, prepare_items
from bakeoff.control.tracker import Tracker
from bakeoff.domain.evaluation import EvaluationRecord, EvaluationRequest, ObjectRef
from bakeoff.domain.work import Plan
from bakeoff.runtime.bus import Bus
from bakeoff.runtime.objects import ObjectStore


@dataclass(frozen=True, slots=True)
class Trackers:
    """Trackers by evaluation."""

    bus: Bus
    objects: ObjectStore
    _known: dict[str, Tracker] = field(default_factory=dict)

    def get(self, evaluation_id: str) -> Tracker | None:
        """Return what is known of an evaluation; None when nothing is."""
        return self._known.get(evaluation_id)

    def forget(self, evaluation_id: str) -> None:
        """Let go of an evaluation; it is looked up again when it must be."""
        self._known.pop(evaluation_id, None)

    @property
    def tenants(self) -> dict[str, str]:
        """Tenant of each evaluation that is known."""
        return {name: tracker.record.tenant for name, tracker in self._known.items()}

    async def of(self, record: EvaluationRecord, *, look: bool) -> Tracker:
        """Return what is known of an evaluation; made when it was not known.

        Args:
            record: As it stands.
            look: Whether to look up facts and queued tasks rather than trust what is known.
        """
        tracker = self._known.get(record.evaluation_id)
        if tracker is None or tracker.record.attempt != record.attempt:  # taken up again
            request = decode(await self._read(record.request), EvaluationRequest)
            items = prepare_items(record.evaluation_id, request)
            tracker = Tracker(record, Frontier(items), prepare=items)
            self._known[record.evaluation_id] = tracker
            look = True
        tracker.record = record
        if record.plan is not None and tracker.planned != record.plan:
            plan = decode(await self._read(record.plan), Plan)
            tracker.plan(items_to_do(plan, record.plan), record.plan)
            look = True
        if look:
            # First what is queued, then what has ended: an item that is in neither was lost, not just finished.
            queued = await self.bus.subjects(subjects.tasks_of(record.evaluation_id))
            ended = await self.bus.subjects(subjects.done_of(record.evaluation_id))
            names = {"/".join(subjects.item_of(subject)[1:]) for subject in ended}
            if names - tracker.facts.keys():
                for message in await self.bus.messages(subjects.done_of(record.evaluation_id)):
                    tracker.add(done_fact_from_bytes(message.data))
            tracker.frontier.mend("/".join(subjects.item_of(subject)[1:]) for subject in queued)
        return tracker

    async def _read(self, ref: ObjectRef) -> bytes:
        return await asyncio.to_thread(self.objects.read, ref)
