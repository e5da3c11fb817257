"""The evaluation report: which recipe is better, by how much, how sure that is, and what it cost."""

from __future__ import annotations

from dataclasses import dataclass, field

from bakeoff.domain.evaluation import EvaluationRequest
from bakeoff.domain.prepared import QualityReport
from bakeoff.domain.score import MetricCard

SCHEMA_VERSION = "1"


@dataclass(frozen=True, slots=True)
class Interval:
    """An interval for a mean or a difference."""

    low: float
    high: float
    level: float
    """Confidence in (0, 1)."""
    method: str
    """Such as `student_t`, `wilson`."""


@dataclass(frozen=True, slots=True)
class MetricSummary:
    """One metric of one entrant on one benchmark. planned = scored + failed + not_applicable."""

    metric: str
    planned: int
    scored: int
    failed: int
    not_applicable: int
    mean: float | None
    """Headline: over planned minus not applicable, failed cases as 0; None when nothing is applicable."""
    mean_scored: float | None
    """Over scored cases only; None when none was scored."""
    interval: Interval | None
    """Of the headline mean; None below two cases."""


@dataclass(frozen=True, slots=True)
class EntrantResult:
    """One entrant on one benchmark."""

    benchmark: str
    entrant: str
    recipe: str
    mode: str
    planned_cases: int
    answered_cases: int
    failed_cases: int
    failures: dict[str, int]
    """Failed cases by kind; kinds that do not occur are left out."""
    metrics: tuple[MetricSummary, ...]
    knowledge_bases: tuple[str, ...]
    """Ids, one a unit."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two entrants on one metric over the cases that both were planned for, failed as 0."""

    benchmark: str
    metric: str
    entrant: str
    baseline: str
    cases: int
    """Cases that are applicable for both."""
    difference: float
    """Mean of entrant minus baseline."""
    interval: Interval | None
    """Paired interval of the difference; None below two cases."""
    p_value: float | None
    """Two-sided paired randomisation test; None below two cases."""
    p_adjusted: float | None
    """After Holm over all comparisons of the metric and benchmark."""
    wins: int
    ties: int
    losses: int


@dataclass(frozen=True, slots=True)
class BenchmarkResult:
    """A benchmark of the report."""

    name: str
    version: str
    split: str
    licence: str
    fingerprint: str
    adapter: str
    """Signature with all settings that change the result."""
    documents: int
    cases: int
    units: int
    metrics: tuple[MetricCard, ...]
    quality: QualityReport
    exclude_self: bool = False
    """Whether a document whose id is the case's own is left out of every ranking."""


@dataclass(frozen=True, slots=True)
class KnowledgeBaseResult:
    """A knowledge base of the report."""

    kb_id: str
    benchmark: str
    unit_id: str
    build: str
    """Signature of the build part."""
    documents: int
    chunks: int
    size_bytes: int
    skipped: int
    """Documents that gave no chunks."""
    failed: bool
    """Whether it could not be built."""


@dataclass(frozen=True, slots=True)
class StageTime:
    """Where the time went. Not part of the digest."""

    stage: str
    items: int
    busy_s: float
    """Seconds of work summed over items."""
    wall_s: float
    """From the first start to the last end."""


@dataclass(frozen=True, slots=True)
class FailureGroup:
    """Cases of one entrant that failed for one reason. Not part of the digest: reasons may name processes."""

    benchmark: str
    entrant: str
    kind: str
    """As in FailureKind."""
    reason: str
    cases: int
    examples: tuple[str, ...]
    """Ids of the first cases, at most five."""


@dataclass(frozen=True, slots=True)
class RunFacts:
    """What differs from run to run. Not part of the digest."""

    evaluation_id: str
    submitted_at: str
    finished_at: str
    stages: tuple[StageTime, ...]
    latency_ms: dict[str, dict[str, float]] = field(default_factory=dict)
    """Per entrant: p50, p90, p99 and max of retrieval and generation, such as `retrieve_p50`."""
    failures: tuple[FailureGroup, ...] = ()
    """Why cases failed, most frequent first; empty when none did."""
    usage: dict[str, dict[str, float]] = field(default_factory=dict)
    """What models took, per entrant that got answers from one; what is not known is left out.

    `asked`: cases that a model answered; `stored`: those of them whose answer was there already; `calls`: requests
    that the others took; `uncounted`: answers without a number of tokens. Sums over the answers that tell them:
    `tokens_in`, `tokens_out`, `tokens_cached`, `cost`. Of `latency`, `first_token` and `inter_token`, in milliseconds:
    `_average`, `_p50`, `_p75`, `_p90`, `_p99` and `_max`, such as `latency_p50`. Stored answers count with what they
    took when they were given.
    """


@dataclass(frozen=True, slots=True)
class EvaluationReport:
    """The final artefact of an evaluation."""

    schema_version: str
    name: str
    digest: str
    """SHA-256 of the canonical JSON of this report without `digest` and `run`."""
    request: EvaluationRequest
    benchmarks: tuple[BenchmarkResult, ...]
    entrants: tuple[EntrantResult, ...]
    comparisons: tuple[Comparison, ...]
    knowledge_bases: tuple[KnowledgeBaseResult, ...]
    versions: dict[str, str]
    """Of components (`kind:name`), libraries and Bakeoff itself: everything that made the numbers."""
    digests: dict[str, str]
    """Of inputs by name, such as `benchmark:scifact`, `kb:kb-…`; of answers and scores: `cases:scifact/bm25/…`."""
    run: RunFacts
