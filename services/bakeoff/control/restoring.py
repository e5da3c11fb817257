"""After the bus lost everything: evaluations made known again from what the object store holds.

Objects outlive the bus: requests, plans and results. What only the bus knew is gone: who paused or cancelled, why items
failed, events and dead letters.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass

from bakeoff.contract import object_keys, subjects
from bakeoff.contract.codec import now
from bakeoff.contract.stored import decode
from bakeoff.contract.work_codec import done_fact_to_bytes
from bakeoff.control.planning import items_to_do, prepare_items, report_name
from bakeoff.control.result_places import result_key
from bakeoff.control.states import States
from bakeoff.domain.answer import Failure, FailureKind
from bakeoff.domain.evaluation import EvaluationRecord, EvaluationRequest, EvaluationState, ObjectRef
from bakeoff.domain.identity import sha256_hex
from bakeoff.domain.work import DoneFact, ItemOutcome, Plan, Task
from bakeoff.runtime.bus import Bus
from bakeoff.runtime.objects import ObjectStore

LOST = Failure(FailureKind.INFRASTRUCTURE, "the item has no result, and the bus has lost the reason")
AFTER_ALL = "\U0010ffff"
"""Sorts behind every key of an evaluation."""


@dataclass(frozen=True, slots=True)
class Found:
    """What the object store holds of an evaluation."""

    request: ObjectRef
    asked: EvaluationRequest
    plan: ObjectRef | None
    planned: Plan | None
    report: ObjectRef | None
    """Of that plan; None when it is not made yet."""


@dataclass(frozen=True, slots=True)
class Restoring:
    """The evaluations of an object store, to be made known on a bus that has streams and nothing in them."""

    bus: Bus
    objects: ObjectStore

    async def restore(self, *, resume: bool = False) -> list[EvaluationRecord]:
        """Make every evaluation known that the bus does not know; return their new state documents, by id.

        Those with a report are completed. The others are paused, as nobody knows any more whether they were cancelled.
        May be repeated, and run while others do.

        Args:
            resume: Let those without a report run on at once.
        """
        states = States(self.bus)
        restored = []
        for evaluation_id in await asyncio.to_thread(lambda: list(self._ids())):
            if await states.get(evaluation_id) is not None:
                continue
            found = await asyncio.to_thread(self._find, evaluation_id)
            if found is None:
                continue
            await self._publish(found)
            record = _record(evaluation_id, found, resume=resume)
            if await states.create(record):
                restored.append(record)
        return restored

    def _ids(self) -> Iterator[str]:
        """Yield the ids of all evaluations: one listing each, however many objects one has."""
        after = ""
        while True:
            info = next(self.objects.list(object_keys.EVALUATIONS, start_after=after), None)
            if info is None:
                return
            evaluation_id = info.key.split("/")[1]
            yield evaluation_id
            after = f"{object_keys.EVALUATIONS}{evaluation_id}/{AFTER_ALL}"

    def _find(self, evaluation_id: str) -> Found | None:
        request = self._ref(object_keys.request(evaluation_id))
        if request is None:  # it was never accepted
            return None
        asked = decode(self.objects.read(request), EvaluationRequest)
        plans = [object_keys.plan(evaluation_id)]
        plans += [info.key for info in self.objects.list(object_keys.later_plans(evaluation_id))]
        found = [(ref, decode(self.objects.read(ref), Plan)) for key in plans if (ref := self._ref(key))]
        if not found:
            return Found(request, asked, None, None, None)
        ref, plan = max(found, key=lambda each: each[1].attempt)
        item = report_name(plan).partition("/")[2]
        report = self._ref(object_keys.report(evaluation_id, object_keys.REPORT_FILE, item))
        return Found(request, asked, ref, plan, report)

    def _ref(self, key: str) -> ObjectRef | None:
        info = self.objects.stat(key)
        if info is None:
            return None
        return ObjectRef(key, info.sha256 or sha256_hex(self.objects.read_key(key)), info.size_bytes)

    async def _publish(self, found: Found) -> None:
        """Say again how items ended: what has no result has failed, where nobody would do it again."""
        if found.plan is None or found.planned is None:
            return
        asked_by = found.asked.rescoring.evaluation_id if found.asked.rescoring else ""
        own = items_to_do(found.planned, found.plan)
        done_here = {item.name for item in own}
        for item in (*prepare_items(found.planned.evaluation_id, found.asked), *found.planned.items, own[-1]):
            task = item.task
            ref = await asyncio.to_thread(self._ref, result_key(task, asked_by))
            if ref is None and found.report is None and (item.name in done_here or not asked_by):
                continue  # it is done again
            fact = _fact(task, ref)
            subject = subjects.done(task.evaluation_id, task.stage, task.item)
            await self.bus.publish(subject, done_fact_to_bytes(fact), first_only=True)


def _fact(task: Task, ref: ObjectRef | None) -> DoneFact:
    outcome = ItemOutcome.DONE if ref else ItemOutcome.FAILED
    return DoneFact(task.evaluation_id, task.stage, task.item, outcome, ref, None if ref else LOST, now())


def _record(evaluation_id: str, found: Found, *, resume: bool) -> EvaluationRecord:
    going_on = EvaluationState.RUNNING if found.plan else EvaluationState.PREPARING
    state = EvaluationState.COMPLETED if found.report is not None else going_on if resume else EvaluationState.PAUSED
    return EvaluationRecord(
        evaluation_id,
        found.asked.name,
        found.asked.tenant,
        state,
        now(),
        found.request,
        resumes_to=going_on if state is EvaluationState.PAUSED else None,
        plan=found.plan,
        concurrency=found.asked.options.concurrency,
        ended_at=now() if found.report else "",
        report=found.report,
        attempt=found.planned.attempt if found.planned else 1,
    )
