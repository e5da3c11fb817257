"""Evaluations whose stored answers others score: their plans, and how their items ended."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from bakeoff.contract import subjects
from bakeoff.contract.stored import decode
from bakeoff.contract.work_codec import done_fact_from_bytes, done_fact_to_bytes
from bakeoff.control.rescoring import check_facts, check_source, rescored_plan, taken_over
from bakeoff.control.states import States, no_evaluation
from bakeoff.domain.component import ComponentCard
from bakeoff.domain.errors import NotFoundError
from bakeoff.domain.evaluation import EvaluationRequest
from bakeoff.domain.work import DoneFact, Plan
from bakeoff.runtime.bus import Bus
from bakeoff.runtime.objects import ObjectStore

AT_ONCE = 256
"""Facts that are being published at a time: enough to hide the way there and back."""


@dataclass(frozen=True, slots=True)
class Sources:
    """The evaluations of a bus, as something to take answers from."""

    bus: Bus
    objects: ObjectStore
    states: States

    async def plan(self, evaluation_id: str, tenant: str) -> Plan:
        """Return the plan of an evaluation whose answers can be scored.

        Args:
            evaluation_id: Which.
            tenant: Whose it must be: another tenant's does not exist.

        Raises:
            NotFoundError: there is no such evaluation.
            InvalidInputError: it has not completed, or it is not known any more how its items ended.
        """
        record = await self.states.need(evaluation_id)
        if record.tenant != tenant:
            raise no_evaluation(evaluation_id)
        check_source(record)
        if record.plan is None:
            raise NotFoundError(f"evaluation {evaluation_id!r} has no plan")
        plan = decode(await asyncio.to_thread(self.objects.read, record.plan), Plan)
        ended = await self.bus.subjects(subjects.done_of(evaluation_id))
        check_facts(plan, ("/".join(subjects.item_of(subject)[1:]) for subject in ended))
        return plan

    async def take_over(self, evaluation_id: str, request: EvaluationRequest, cards: Sequence[ComponentCard]) -> Plan:
        """Publish how the items of the earlier evaluation ended as facts of a re-scoring, and return its plan.

        May be repeated: the first fact of an item stays.

        Args:
            evaluation_id: The re-scoring.
            request: Its request, as accepted.
            cards: Every component that is known.

        Raises:
            NotFoundError, InvalidInputError: as `plan`.
            UnavailableError: a method is not announced any more.
        """
        if request.rescoring is None:
            raise ValueError(f"{evaluation_id} is no re-scoring")
        source = await self.plan(request.rescoring.evaluation_id, request.tenant)
        plan = rescored_plan(evaluation_id, request, source, cards)
        messages = await self.bus.messages(subjects.done_of(source.evaluation_id))
        found = (taken_over(done_fact_from_bytes(message.data), evaluation_id) for message in messages)
        facts = [fact for fact in found if fact is not None]
        for first in range(0, len(facts), AT_ONCE):
            await asyncio.gather(*(self._publish(fact) for fact in facts[first : first + AT_ONCE]))
        return plan

    async def _publish(self, fact: DoneFact) -> None:
        subject = subjects.done(fact.evaluation_id, fact.stage, fact.item)
        await self.bus.publish(subject, done_fact_to_bytes(fact), first_only=True)
