"""Replaying: an evaluation that has ended is taken up again with those of its items that failed."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace

from bakeoff.contract import object_keys, subjects
from bakeoff.contract.stored import JSON, decode, encode
from bakeoff.contract.work_codec import done_fact_from_bytes
from bakeoff.control.renewal import failed_items, renewed
from bakeoff.control.states import States
from bakeoff.domain.errors import InvalidInputError
from bakeoff.domain.evaluation import EvaluationRecord, EvaluationState, ObjectRef, Stage
from bakeoff.domain.identity import sha256_hex
from bakeoff.domain.work import DoneFact, ItemOutcome, Plan
from bakeoff.runtime.bus import Bus
from bakeoff.runtime.objects import ObjectStore


@dataclass(frozen=True, slots=True)
class Replayed:
    """What a replay does again."""

    record: EvaluationRecord
    items: tuple[str, ...]
    """`<stage>/<item>`, sorted, without the report."""


@dataclass(frozen=True, slots=True)
class Replays:
    """The evaluations of a bus, as something to replay.

    Any number of control processes may do it at the same time: the new plan is an object whose key is its digest, and
    the compare-and-set of the state decides whose counts.
    """

    bus: Bus
    objects: ObjectStore
    states: States

    async def replay(self, evaluation_id: str, *, failed_cases: bool = False) -> Replayed:
        """Take an ended evaluation up again.

        Args:
            evaluation_id: Which.
            failed_cases: Whether items are done again as well that have a result in which cases failed.

        Raises:
            NotFoundError: there is none.
            InvalidInputError: it has not ended, or was cancelled, or nothing of it failed.
        """
        record = await self.states.need(evaluation_id)
        if record.state not in (EvaluationState.COMPLETED, EvaluationState.FAILED):
            advice = "submit it again" if record.state.ended else "wait until it has ended"
            raise InvalidInputError(
                f"evaluation {evaluation_id} is {record.state.value}: only what has completed or failed can be "
                f"replayed; {advice}"
            )
        return await self.take_up(record, failed_cases=failed_cases)

    async def take_up(self, record: EvaluationRecord, *, failed_cases: bool = False) -> Replayed:
        """Let an evaluation that has ended run again with what failed of it; what was never done is done as well.

        Args:
            record: As it ended.
            failed_cases: As for `replay`.

        Raises:
            InvalidInputError: it has completed and nothing of it failed, or somebody else took it up otherwise.
        """
        if record.plan is None:
            return await self._prepare_again(record)
        facts = await self._facts(record.evaluation_id)
        plan = decode(await asyncio.to_thread(self.objects.read, record.plan), Plan)
        failed = failed_items(plan, facts, failed_cases=failed_cases)
        if failed:
            ref, names = await self._renew(plan, failed, record.attempt + 1)
            return Replayed(await self._restart(record, ref), tuple(sorted(names)))
        if record.state is EvaluationState.COMPLETED:
            more = "" if failed_cases else "; items in which only cases failed are replayed with --failed-cases"
            raise InvalidInputError(
                f"evaluation {record.evaluation_id} has nothing to replay: no item of it failed{more}"
            )
        return Replayed(await self._restart(record, record.plan), ())

    async def _renew(self, plan: Plan, failed: frozenset[str], attempt: int) -> tuple[ObjectRef, frozenset[str]]:
        following, names = renewed(plan, failed, attempt)
        data = encode(following)
        key = object_keys.later_plan(plan.evaluation_id, sha256_hex(data))
        created = await asyncio.to_thread(lambda: self.objects.create(key, data, media_type=JSON))
        return created.ref, names

    async def _prepare_again(self, record: EvaluationRecord) -> Replayed:
        """Forget that benchmarks could not be prepared: nothing came of it yet."""
        again = []
        for message in await self.bus.messages(subjects.done_of(record.evaluation_id)):
            fact = done_fact_from_bytes(message.data)
            # What a re-scoring took over stays as it was: nobody would do it again.
            if fact.stage is Stage.PREPARE and fact.outcome is ItemOutcome.FAILED:
                again.append(f"{fact.stage.value}/{fact.item}")
                await self.bus.remove(subjects.DONE, message.sequence)
        return Replayed(await self._restart(record, None), tuple(sorted(again)))

    async def _restart(self, record: EvaluationRecord, plan: ObjectRef | None) -> EvaluationRecord:
        def step(current: EvaluationRecord) -> EvaluationRecord | None:
            if (current.state, current.attempt) != (record.state, record.attempt):
                return None
            return replace(
                current,
                state=EvaluationState.RUNNING if plan else EvaluationState.PREPARING,
                plan=plan,
                reason="",
                ended_at="",
                report=None,
                attempt=record.attempt + 1,
            )

        changed = await self.states.change(record.evaluation_id, step)
        if changed.plan != plan or changed.attempt != record.attempt + 1:
            raise InvalidInputError(f"evaluation {record.evaluation_id} was taken up again by somebody else meanwhile")
        return changed

    async def _facts(self, evaluation_id: str) -> dict[str, DoneFact]:
        messages = await self.bus.messages(subjects.done_of(evaluation_id))
        facts = [done_fact_from_bytes(message.data) for message in messages]
        return {f"{fact.stage.value}/{fact.item}": fact for fact in facts}
