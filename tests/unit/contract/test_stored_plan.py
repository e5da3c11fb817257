"""A plan is read back as it was stored, whatever nouns its tasks have."""

from __future__ import annotations

import pytest

from bakeoff.contract.stored import decode, encode
from bakeoff.domain.component import ComponentSpec
from bakeoff.domain.errors import InvalidInputError
from bakeoff.domain.evaluation import ObjectRef, Stage
from bakeoff.domain.recipe import AnswerPart, BuildPart, Entrant
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
from tests.builders import a_benchmark, a_mode, a_request

REF = ObjectRef("prepared/f/manifest.json", "0" * 64, 12)
ENTRANT = Entrant("bm25", "full_text_search")
BODIES: dict[Stage, TaskBody] = {
    Stage.PREPARE: PrepareTask(a_benchmark()),
    Stage.INGEST: IngestTask(REF, 3),
    Stage.BUILD: BuildTask(REF, "u", "kb-1", BuildPart(), {"index:bm25": "1"}, ("p0",)),
    Stage.INFER: InferTask(
        REF, "b", "u", ENTRANT, "kb-1", "kb-1", 0, 7, a_mode(), AnswerPart(ComponentSpec("extractive")), 1, 10
    ),
    Stage.SCORE: ScoreTask(REF, "b", "u", ENTRANT, 0, 7, "i", (ComponentSpec("ndcg", {"k": None}),), 1),
    Stage.REPORT: ReportTask(REF),
}


def plan(stage: Stage) -> Plan:
    item = PlanItem(Task("ev-1", "default", stage, "i", BODIES[stage]), ("prepare/b0",), 7)
    return Plan("ev-1", a_request(), (PlannedBenchmark("b", REF, (), 1, 7),), (item,), {"index:bm25": "1"})


@pytest.mark.parametrize("stage", list(Stage))
def test_a_plan_reads_back(stage: Stage) -> None:
    stored = encode(plan(stage))
    assert decode(stored, Plan) == plan(stage)
    assert encode(decode(stored, Plan)) == stored


def test_a_task_whose_body_is_of_another_stage_is_refused() -> None:
    stored = encode(plan(Stage.INGEST)).replace(b'"stage":"ingest"', b'"stage":"build"')
    with pytest.raises(InvalidInputError, match="not a stored Plan"):
        decode(stored, Plan)
