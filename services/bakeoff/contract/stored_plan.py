"""A stored plan read back: the stage of a task tells which noun its body is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

import msgspec

from bakeoff.domain.evaluation import EvaluationRequest, Stage
from bakeoff.domain.work import (
    BuildTask,
    InferTask,
    IngestTask,
    Plan,
    PlanItem,
    PlannedBenchmark,
    PrepareTask,
    ReportTask,
    ScoreTask,
    Task,
    TaskBody,
)

BODIES: dict[Stage, type] = {
    Stage.PREPARE: PrepareTask,
    Stage.INGEST: IngestTask,
    Stage.BUILD: BuildTask,
    Stage.INFER: InferTask,
    Stage.SCORE: ScoreTask,
    Stage.REPORT: ReportTask,
}


@dataclass(frozen=True, slots=True)
class _StoredTask:
    """A Task whose body is still JSON."""

    evaluation_id: str
    tenant: str
    stage: Stage
    item: str
    body: msgspec.Raw


@dataclass(frozen=True, slots=True)
class _StoredItem:
    """A PlanItem with such a task."""

    task: _StoredTask
    needs: tuple[str, ...]
    cases: int


@dataclass(frozen=True, slots=True)
class _StoredPlan:
    """A Plan of such items."""

    evaluation_id: str
    request: EvaluationRequest
    benchmarks: tuple[PlannedBenchmark, ...]
    items: tuple[_StoredItem, ...]
    versions: dict[str, str]
    attempt: int = 1


def decode_plan(data: bytes) -> Plan:
    """Read a plan back from its JSON.

    Raises:
        msgspec.MsgspecError: the bytes are not that; the message says where.
    """
    stored = msgspec.json.decode(data, type=_StoredPlan)
    items = tuple(PlanItem(_task(item.task), item.needs, item.cases) for item in stored.items)
    return Plan(stored.evaluation_id, stored.request, stored.benchmarks, items, stored.versions, stored.attempt)


def _task(stored: _StoredTask) -> Task:
    body = cast(TaskBody, msgspec.json.decode(stored.body, type=BODIES[stored.stage]))
    return Task(stored.evaluation_id, stored.tenant, stored.stage, stored.item, body)
