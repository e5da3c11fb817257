"""Events for outsiders: what an evaluation has come to, on a subject that can be replayed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bakeoff.contract import subjects
from bakeoff.contract.codec import evaluation_status_to_wire, now, time_to_wire
from bakeoff.domain.evaluation import Download, EvaluationRecord, EvaluationStatus, StageProgress
from bakeoff.runtime.bus import Bus
from bakeoff.runtime.envelope import evaluation_trace, headers
from bakeoff.v1 import evaluation_pb2


@dataclass(frozen=True, slots=True)
class Announcer:
    """Publishes events on a bus."""

    bus: Bus

    async def say(
        self,
        kind: str,
        record: EvaluationRecord,
        stages: Sequence[StageProgress] = (),
        downloads: Sequence[Download] = (),
    ) -> None:
        """Publish an event. All kinds but progress come once an attempt; a rare double has the same `ce-id`."""
        subject = subjects.event(record.evaluation_id, kind)
        trace = evaluation_trace(record.evaluation_id, record.attempt, record.trace)
        what = f"{kind}/{record.attempt}"
        words = headers("bakeoff.v1.EvaluationEvent", "control", record.evaluation_id, what, trace)
        if kind != "progress":
            last = await self.bus.last(subject)
            if last is not None and last.headers.get("ce-id") == words["ce-id"]:
                return
        event = evaluation_pb2.EvaluationEvent(
            kind=kind,
            evaluation=evaluation_status_to_wire(status_of(record, stages, downloads)),
            time=time_to_wire(now()),
        )
        await self.bus.publish(subject, event.SerializeToString(deterministic=True), headers=words)


def status_of(
    record: EvaluationRecord, stages: Sequence[StageProgress], downloads: Sequence[Download] = ()
) -> EvaluationStatus:
    """Return what a follower sees of an evaluation."""
    return EvaluationStatus(
        record.evaluation_id,
        record.name,
        record.tenant,
        record.state,
        tuple(stages),
        record.reason,
        record.submitted_at,
        record.ended_at,
        record.report,
        tuple(downloads),
    )
