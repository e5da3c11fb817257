"""An evaluation: benchmarks times recipes, asked for once, ending in one report."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from bakeoff.domain.benchmark import BenchmarkChoice
from bakeoff.domain.component import ComponentSpec
from bakeoff.domain.recipe import Recipe


class Stage(StrEnum):
    """The stages of an evaluation, in their order."""

    PREPARE = "prepare"
    INGEST = "ingest"
    BUILD = "build"
    INFER = "infer"
    SCORE = "score"
    REPORT = "report"


class EvaluationState(StrEnum):
    """Where an evaluation stands.

    submitted → preparing → running → completed; from each of the first three to failed, cancelled and, and back,
    paused. A submission of the same key takes failed and cancelled back to preparing.
    """

    SUBMITTED = "submitted"
    PREPARING = "preparing"
    RUNNING = "running"
    PAUSED = "paused"
    COMPLETED = "completed"
    FAILED = "failed"
    CANCELLED = "cancelled"

    @property
    def ended(self) -> bool:
        """Whether nothing more happens by itself."""
        return self in (EvaluationState.COMPLETED, EvaluationState.FAILED, EvaluationState.CANCELLED)


@dataclass(frozen=True, slots=True)
class EvaluationOptions:
    """What is said of the run; `seed` changes results, the others do not."""

    seed: int = 0
    """Seed of everything random, with the case id."""
    batch_cases: int = 100
    """Cases of one unit and entrant in one item, from 1."""
    concurrency: int | None = None
    """Items of one stage that may be released at once, from 1; None leaves it to the platform."""
    confidence: float = 0.95
    """Level of the intervals in the report, in (0, 1)."""


@dataclass(frozen=True, slots=True)
class Rescoring:
    """Scoring the answers that an earlier evaluation has stored: nothing is prepared, built or asked again."""

    evaluation_id: str
    """Whose answers they are. Once accepted: who asked for them, also when that was found by way of a re-scoring."""
    evaluators: tuple[ComponentSpec, ...] = ()
    """At least one, each for every benchmark. Empty once accepted: then the request's benchmarks name their methods."""
    add: bool = False
    """Whether they come beside the methods of that evaluation; otherwise they take their place."""


@dataclass(frozen=True, slots=True)
class EvaluationRequest:
    """What somebody wants to know."""

    name: str
    """Title of the report; any text."""
    benchmarks: tuple[BenchmarkChoice, ...]
    """At least one; none for a re-scoring until it is accepted, since they are the earlier evaluation's."""
    recipes: tuple[Recipe, ...]
    """As for the benchmarks."""
    options: EvaluationOptions = field(default_factory=EvaluationOptions)
    tenant: str = "default"
    """Whose evaluation it is, for fairness."""
    idempotency_key: str = ""
    """Requests with one key are one evaluation; empty means: by content."""
    rescoring: Rescoring | None = None
    """None unless stored answers are scored with other methods."""


@dataclass(frozen=True, slots=True)
class StageProgress:
    """How far a stage is. Denominators come from the plan."""

    stage: Stage
    planned: int
    """Items of the stage; 0 while the plan is not made."""
    done: int
    queued: int
    """Items released and not ended."""
    failed: int = 0
    """Items that ended without a result."""
    planned_cases: int = 0
    """Case answers or case scores of the stage; 0 for the stages that have none."""
    done_cases: int = 0


@dataclass(frozen=True, slots=True)
class Download:
    """How far the download of a benchmark's file is, as its worker said last."""

    benchmark: str
    """Name of the benchmark in the report."""
    address: str
    """Where it comes from, without user, query and fragment: they may be secret."""
    received_bytes: int
    total_bytes: int | None = None
    """None when the server does not say."""


@dataclass(frozen=True, slots=True)
class EvaluationStatus:
    """What a follower sees of an evaluation."""

    evaluation_id: str
    name: str
    tenant: str
    state: EvaluationState
    stages: tuple[StageProgress, ...] = ()
    reason: str = ""
    """Why it failed or was cancelled; empty otherwise."""
    submitted_at: str = ""
    """RFC 3339, UTC."""
    ended_at: str = ""
    """RFC 3339, UTC; empty until it ended."""
    report: ObjectRef | None = None
    """The report's JSON; None until it completed."""
    downloads: tuple[Download, ...] = ()
    """The last one of each benchmark that is being prepared; for show only, and old by a second or two."""


@dataclass(frozen=True, slots=True)
class ObjectRef:
    """An object in the store, with the digest that it must have."""

    key: str
    sha256: str
    """64 hexadecimal digits."""
    size_bytes: int


@dataclass(frozen=True, slots=True)
class EvaluationRecord:
    """The state document of an evaluation: changed by compare-and-set only, always after the effect it tells of."""

    evaluation_id: str
    name: str
    tenant: str
    state: EvaluationState
    submitted_at: str
    """RFC 3339, UTC."""
    request: ObjectRef
    """The resolved EvaluationRequest."""
    resumes_to: EvaluationState | None = None
    """Where a paused evaluation goes on; None unless paused."""
    plan: ObjectRef | None = None
    """None until all benchmarks are prepared."""
    concurrency: int | None = None
    """Items of one stage that may be released at once; None leaves it to the platform."""
    reason: str = ""
    ended_at: str = ""
    report: ObjectRef | None = None
    attempt: int = 1
    """How often it was started: a new submission after failure or cancellation counts one up, and so does a replay."""
    trace: str = ""
    """W3C trace context of who asked for it; empty when they brought none."""
