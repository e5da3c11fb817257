"""Stopping, pausing and resuming: first the state, which everybody sees, then the queued tasks."""

from __future__ import annotations

from dataclasses import dataclass, replace

from bakeoff.contract.codec import now
from bakeoff.control.endings import tell_end
from bakeoff.control.engine import Engine
from bakeoff.domain.errors import InvalidInputError
from bakeoff.domain.evaluation import EvaluationRecord, EvaluationState


@dataclass(frozen=True, slots=True)
class Steering:
    """What an operator may do to the evaluations of an engine."""

    engine: Engine

    async def cancel(self, evaluation_id: str, reason: str) -> EvaluationRecord:
        """Stop an evaluation; running items see it within a second. Finished work stays.

        Raises:
            NotFoundError: there is none.
        """

        def step(current: EvaluationRecord) -> EvaluationRecord | None:
            if current.state.ended:
                return None
            return replace(
                current,
                state=EvaluationState.CANCELLED,
                reason=reason or "cancelled",
                ended_at=now(),
                resumes_to=None,
            )

        record = await self.engine.states.change(evaluation_id, step)
        if record.state is EvaluationState.CANCELLED:
            await self.engine.take_back(evaluation_id)
            await self.engine.announcer.say("cancelled", record)
            tell_end(record)
        await self.engine.advance(evaluation_id)
        return record

    async def pause(self, evaluation_id: str) -> EvaluationRecord:
        """Release nothing more of an evaluation; items in hand are finished, queued ones taken back.

        Raises:
            NotFoundError: there is none.
            InvalidInputError: it has ended.
        """

        def step(current: EvaluationRecord) -> EvaluationRecord | None:
            if current.state.ended:
                raise InvalidInputError(f"evaluation {evaluation_id} is {current.state.value}: it cannot be paused")
            if current.state is EvaluationState.PAUSED:
                return None
            return replace(current, state=EvaluationState.PAUSED, resumes_to=current.state)

        record = await self.engine.states.change(evaluation_id, step)
        await self.engine.take_back(evaluation_id)
        await self.engine.advance(evaluation_id, look=True)
        return record

    async def resume(self, evaluation_id: str, concurrency: int | None) -> EvaluationRecord:
        """Take up a paused evaluation, or change how many of its items may run at once.

        Raises:
            NotFoundError: there is none.
            InvalidInputError: it has ended, or the concurrency is below 1.
        """
        if concurrency is not None and concurrency < 1:
            raise InvalidInputError(f"concurrency must be at least 1, not {concurrency}")

        def step(current: EvaluationRecord) -> EvaluationRecord | None:
            if current.state.ended:
                raise InvalidInputError(f"evaluation {evaluation_id} is {current.state.value}: it cannot be resumed")
            state = current.resumes_to or current.state
            return replace(current, state=state, resumes_to=None, concurrency=concurrency or current.concurrency)

        record = await self.engine.states.change(evaluation_id, step)
        if concurrency is not None:
            # A smaller number counts at once: what is queued above it goes back.
            await self.engine.take_back(evaluation_id)
        await self.engine.advance(evaluation_id, look=True)
        return record
