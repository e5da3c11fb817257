"""The plan of an evaluation, its tasks, and the facts that say how they ended."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from bakeoff.domain.answer import Failure
from bakeoff.domain.benchmark import BenchmarkChoice
from bakeoff.domain.component import ComponentSpec
from bakeoff.domain.evaluation import EvaluationRequest, ObjectRef, Stage
from bakeoff.domain.recipe import AnswerPart, BuildPart, Entrant, QueryMode


@dataclass(frozen=True, slots=True)
class PrepareTask:
    """Turn a benchmark into prepared documents, cases and units."""

    benchmark: BenchmarkChoice


@dataclass(frozen=True, slots=True)
class IngestTask:
    """Write one part of a benchmark's originals to raw storage."""

    prepared: ObjectRef
    part: int
    """Index into the manifest's original parts."""


@dataclass(frozen=True, slots=True)
class BuildTask:
    """Build one knowledge base."""

    prepared: ObjectRef
    unit_id: str
    kb_id: str
    build: BuildPart
    versions: dict[str, str]
    """Component versions that the id was made with; a worker with others refuses the task."""
    ingest_items: tuple[str, ...]
    """Items whose facts name the raw keys of the originals."""


@dataclass(frozen=True, slots=True)
class InferTask:
    """Ask one entrant a batch of cases of one unit."""

    prepared: ObjectRef
    benchmark: str
    unit_id: str
    entrant: Entrant
    kb_id: str
    """Empty when no knowledge base is asked."""
    build_item: str
    """Empty when no knowledge base is asked."""
    cases_start: int
    """First case in the prepared order."""
    cases_stop: int
    """One past the last case."""
    mode: QueryMode | None
    """None when no knowledge base is asked."""
    answer: AnswerPart | None
    seed: int
    text_ranks: int
    """First ranks whose passage texts are kept in the answer."""


@dataclass(frozen=True, slots=True)
class ScoreTask:
    """Score the answers of one infer item."""

    prepared: ObjectRef
    benchmark: str
    unit_id: str
    entrant: Entrant
    cases_start: int
    cases_stop: int
    infer_item: str
    evaluators: tuple[ComponentSpec, ...]
    seed: int
    opponents: dict[str, str] = field(default_factory=dict)
    """Infer item, by entrant, of those that an evaluator compares this one with, on the same cases."""


@dataclass(frozen=True, slots=True)
class ReportTask:
    """Assemble the report of a plan."""

    plan: ObjectRef


TaskBody = PrepareTask | IngestTask | BuildTask | InferTask | ScoreTask | ReportTask


@dataclass(frozen=True, slots=True)
class Task:
    """One item of work."""

    evaluation_id: str
    tenant: str
    stage: Stage
    item: str
    """Unique in the stage of the evaluation; `[a-z0-9_-]`."""
    body: TaskBody
    versions: dict[str, str] = field(default_factory=dict)
    """Versions of the components that the plan does the item with, by `kind:name`; a worker that has others gives it
    back. Empty when any will do; in a plan too, which has them for all items."""


@dataclass(frozen=True, slots=True)
class PlanItem:
    """A task and the items that must have ended before it is released."""

    task: Task
    needs: tuple[str, ...] = ()
    """`<stage>/<item>` of each."""
    cases: int = 0
    """Case answers or scores that the item stands for."""

    @property
    def name(self) -> str:
        """`<stage>/<item>`."""
        return f"{self.task.stage.value}/{self.task.item}"


@dataclass(frozen=True, slots=True)
class PlannedBenchmark:
    """A benchmark of the plan, as it was prepared."""

    name: str
    prepared: ObjectRef
    evaluators: tuple[ComponentSpec, ...]
    units: int
    cases: int
    """Cases that are asked of every entrant: every metric's denominator."""


@dataclass(frozen=True, slots=True)
class Plan:
    """All items of an evaluation after `prepare`, and so every denominator. Written once."""

    evaluation_id: str
    request: EvaluationRequest
    """With all settings filled in."""
    benchmarks: tuple[PlannedBenchmark, ...]
    items: tuple[PlanItem, ...]
    versions: dict[str, str]
    """Version of every component in the request, by `kind:name`."""
    attempt: int = 1
    """Of the evaluation, that it was made for; a later one has new names for what is done again."""


@dataclass(frozen=True, slots=True)
class DeadLetter:
    """What was given up, with its reason."""

    task: Task
    failure: Failure
    time: str
    """RFC 3339, UTC."""
    deliveries: int
    """Of the message, from 1."""


class ItemOutcome(StrEnum):
    """How an item ended."""

    DONE = "done"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class DoneFact:
    """An item ended, and how. The first fact of an item wins for ever."""

    evaluation_id: str
    stage: Stage
    item: str
    outcome: ItemOutcome
    result: ObjectRef | None = None
    """What was made; None when it failed."""
    failure: Failure | None = None
    started_at: str = ""
    """When a worker took it for the last time, RFC 3339, UTC."""
    duration_ms: float = 0.0
    """Work of the last attempt."""
    attempts: int = 1
    counts: dict[str, int] = field(default_factory=dict)
    """What the item did, such as `{"documents": 60}`; not part of any result."""
    worker: str = ""
    """Which process did it."""
