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
    """`student_t`; `wilson` of shares; `wilson_unvaried` of other values that are all equal."""


@dataclass(frozen=True, slots=True)
class MetricSummary:
    """One metric of one entrant on one benchmark. planned = scored + failed + not_applicable."""

    metric: str
    planned: int
    scored: int
    failed: int
    not_applicable: int
    mean: float | None
    """Headline: over planned minus not applicable, failed cases as 0; where lower is better, as the metric's maximum,
    or left out when it has none. None when no case counts."""
    mean_scored: float | None
    """Over scored cases only; None when none was scored."""
    interval: Interval | None
    """Of the headline mean; None below two cases, and when all have one value and the metric has no greatest one."""
    macro: float | None = None
    """Mean over groups of cases, such as the subjects of an exam, of the headline means within each: every group counts
    alike. None when the benchmark names no grouping or nothing is applicable."""
    pooled: float | None = None
    """Of all scored cases as one corpus, each by its weight, such as the perplexity of all their words; None when the
    metric has no such figure."""


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
    prompts: dict[str, int] = field(default_factory=dict)
    """What prompts had to leave out or make do with; what does not occur is left out.

    `excluded_examples`: in-context examples that were withheld since they are the case itself, by id or by content;
    `cases_with_excluded_examples`: cases of which some were; `cases_with_invalid_choices`: cases whose choices could
    not be told, so that one empty choice stood in.
    """


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two entrants on one metric over the cases planned for both; failed ones as in means, unless the judge failed."""

    benchmark: str
    metric: str
    entrant: str
    baseline: str
    cases: int
    """Cases that count for both: they are applicable, and their judge failed for neither."""
    difference: float
    """Mean of entrant minus baseline."""
    interval: Interval | None
    """Paired interval of the difference; None below two cases, and when all differ alike and the metric has no greatest
    value."""
    p_value: float | None
    """Two-sided paired randomisation test; None below two cases."""
    p_adjusted: float | None
    """After Holm over all comparisons of the metric and benchmark."""
    wins: int
    """Cases in which the entrant did better, which is a lower value where lower is better."""
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
    unreadable: int = 0
    """Those of them that could not be read; the others are empty."""
    findings: tuple[str, ...] = ()
    """Why documents could not be read, and what their parsers remarked of others; the first of each kind."""


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
class JudgeAgreement:
    """How far a judging model agrees with people about one entrant's answers; None where a figure is not defined."""

    benchmark: str
    entrant: str
    metric: str
    level: str
    """What ratings mean: `nominal`, or `ordinal` on a scale."""
    cases: int
    """Cases that both have rated: the figures are over these."""
    only_judge: int
    """Cases that no person has rated."""
    only_people: int
    """Cases that people have rated and the judge has not: it failed, or there was no answer to judge."""
    judge_failures: int
    """Of the entrant's cases, those on which the judge failed."""
    bad_labels: int
    """Cases whose label is no rating of the scale."""
    share: float | None
    """Share of equal ratings."""
    kappa: float | None
    """Cohen's, unweighted."""
    weighted_kappa: float | None
    """Cohen's with quadratic weights; None for nominal ratings."""
    alpha: float | None
    """Krippendorff's, at the level."""
    ac1: float | None
    """Gwet's."""


@dataclass(frozen=True, slots=True)
class JudgeUsage:
    """What judging one entrant's answers by one metric took, apart from what answering took."""

    benchmark: str
    entrant: str
    metric: str
    prompt: str
    """SHA-256 of the words that the judge was told besides the material."""
    judged: int
    """Cases that have a judgement, or whose judge failed."""
    failures: int
    """Of them, those whose judge failed."""
    order_dependent: int
    """Votes of comparisons that said the opposite when the order changed, and so count as ties."""
    answers: int
    """What the judge said in all, again and again where it could not be read."""
    stored: int
    """Of them, those that were there already."""
    calls: int
    """Requests that the others took."""
    tokens_in: int
    tokens_out: int
    cost: float | None
    """None when no price is known."""


@dataclass(frozen=True, slots=True)
class BuildStep:
    """How often a step of building was done, and how often what was done before was taken."""

    step: str
    """`parse`, `chunk` and `embed` count documents, once for each knowledge base that needs them; `text` counts texts
    that an embedder made vectors of, `token` tokens that an endpoint counted for that, `cost` millionths of the
    currency of their price, `knowledge_base` knowledge bases."""
    computed: int
    """Done for this evaluation."""
    reused: int
    """Done for another recipe, unit or evaluation."""


@dataclass(frozen=True, slots=True)
class EntrantRun:
    """What one entrant took on one benchmark. Not part of the digest."""

    benchmark: str
    entrant: str
    latency_ms: dict[str, float]
    """As of an entrant in RunFacts.latency_ms; empty when nothing was timed."""
    usage: dict[str, float]
    """As of an entrant in RunFacts.usage; empty when it asked no model."""


@dataclass(frozen=True, slots=True)
class RunFacts:
    """What differs from run to run. Not part of the digest."""

    evaluation_id: str
    submitted_at: str
    finished_at: str
    stages: tuple[StageTime, ...]
    latency_ms: dict[str, dict[str, float]] = field(default_factory=dict)
    """Per entrant, over all benchmarks: p50, p90, p99 and max of retrieval and generation, such as `retrieve_p50`."""
    failures: tuple[FailureGroup, ...] = ()
    """Why cases failed, most frequent first; empty when none did."""
    usage: dict[str, dict[str, float]] = field(default_factory=dict)
    """What models took, per entrant that asked one, over all benchmarks; what is not known is left out.

    `asked`: cases that a model answered; `stored`: those of them whose answer was there already; `calls`: requests
    that the others took; `uncounted`: answers without a number of tokens. Sums over the answers that tell them:
    `tokens_in`, `tokens_out`, `tokens_cached`, `cost`. Of `latency`, `first_token` and `inter_token`, in milliseconds:
    `_average`, `_p50`, `_p75`, `_p90`, `_p99` and `_max`, such as `latency_p50`. Stored answers count with what they
    took when they were given. The same of the models that retrieval asks: `retrieval_asked` (cases),
    `retrieval_stored`, `retrieval_calls`, `retrieval_uncounted`, the sums, and `retrieval_latency_average`; and
    `retrieval_fallbacks`, the cases that went on without what such a model should have said. Of an endpoint that embeds
    questions: `embedding_asked` (cases), `embedding_stored` (those of them whose vectors were all there already),
    `embedding_tokens_in` and `embedding_cost`, with those of vectors that were there. `build_tokens` and `build_cost`:
    what an endpoint takes for the vectors of the entrant's knowledge bases when none is there.
    """
    judging: tuple[JudgeUsage, ...] = ()
    """What judging models took; empty when none judged."""
    building: tuple[BuildStep, ...] = ()
    """Steps of building, in their order; empty when nothing was built, or an earlier version wrote the report."""
    by_benchmark: tuple[EntrantRun, ...] = ()
    """Latencies and usage of each entrant on each benchmark, in the report's order; a knowledge base that several share
    counts for each. Empty when an earlier version wrote the report."""


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
    """Of inputs by name, such as `benchmark:scifact`, `kb:kb-…`, `template:scifact/bm25/…`; of answers and scores:
    `cases:scifact/bm25/…`."""
    run: RunFacts
    agreements: tuple[JudgeAgreement, ...] = ()
    """Of judging models with people; empty when no evaluator names a column of labels."""
