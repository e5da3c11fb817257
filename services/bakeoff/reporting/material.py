"""What a report is made of, read once: the cases of each benchmark and what every entrant said and scored."""

from __future__ import annotations

from dataclasses import dataclass, field

from bakeoff.domain.answer import Failure, Passage, Timing
from bakeoff.domain.benchmark import Case
from bakeoff.domain.evaluation import Stage
from bakeoff.domain.knowledge import KnowledgeBaseManifest
from bakeoff.domain.prepared import PreparedManifest, QualityReport
from bakeoff.domain.prompt import Usage
from bakeoff.domain.recipe import BuildPart, Recipe
from bakeoff.domain.report import EvaluationReport
from bakeoff.domain.score import MetricCard, Score
from bakeoff.domain.work import DoneFact, Plan
from bakeoff.reporting.prompt_findings import PromptNotes
from bakeoff.reporting.trec import trec_id

SHOWN_PASSAGES = 3
"""First passages of an answer that are kept for readers."""


@dataclass(frozen=True, slots=True)
class CaseOutcome:
    """What became of one case under one entrant."""

    scores: tuple[Score, ...]
    """One for each metric of the benchmark, in their order."""
    failure: Failure | None
    """Why there is no answer; None when there is one."""
    text: str | None
    """The answer's words; None when the recipe makes none."""
    passages: tuple[Passage, ...]
    """The first few passages."""
    timing: Timing
    details: dict[str, object] = field(default_factory=dict)
    """What the evaluators want to be seen."""
    ranks: dict[str, int] = field(default_factory=dict)
    """Rank, from 1, of each relevant document that was retrieved, in the order of the run file."""
    usage: Usage | None = None
    """What a model took for the answer; None when none was asked."""
    prompt: PromptNotes = field(default_factory=PromptNotes)
    """What is known of its prompt."""
    retrieval_usage: Usage | None = None
    """What models took to retrieve its passages; None when none was asked."""
    fell_back: bool = False
    """Whether retrieval went on without what a model should have said."""
    retrieval: dict[str, object] = field(default_factory=dict)
    """How it was retrieved, as the engine tells; empty when that was one plain search."""
    embedding_usage: Usage | None = None
    """What an endpoint took to embed what was searched for; None when none embeds it."""


@dataclass(frozen=True, slots=True)
class PlannedCase:
    """A case at its place in the plan."""

    unit_id: str
    case: Case
    name: str
    """The case's id, behind its unit's in a benchmark that asks a case of several units; unique."""

    @property
    def query_id(self) -> str:
        """The name as it stands in runs and judgements."""
        return trec_id(self.name)


@dataclass(frozen=True, slots=True)
class EntrantMaterial:
    """One entrant on one benchmark."""

    recipe: Recipe
    mode: str
    outcomes: tuple[CaseOutcome, ...]
    """One for each case of the benchmark, in their order."""
    run: bytes
    """TREC run file of all its rankings."""
    changed_ids: dict[str, str]
    """Document ids that the run writes otherwise, by how it writes them."""
    knowledge_bases: tuple[str, ...]
    """Ids, one a unit, in the units' order."""
    pages_run: bytes = b""
    """TREC run file of its rankings of pages, over the cases whose evidence names pages; empty when none does."""

    @property
    def name(self) -> str:
        """`recipe/mode`."""
        return f"{self.recipe.name}/{self.mode}"


@dataclass(frozen=True, slots=True)
class BenchmarkMaterial:
    """One benchmark with its entrants."""

    name: str
    manifest: PreparedManifest
    quality: QualityReport
    metrics: tuple[MetricCard, ...]
    cases: tuple[PlannedCase, ...]
    """In the prepared order; every metric's denominator."""
    units: int
    entrants: tuple[EntrantMaterial, ...]
    """In the request's order."""


@dataclass(frozen=True, slots=True)
class KnowledgeBaseMaterial:
    """A planned knowledge base."""

    kb_id: str
    benchmark: str
    unit_id: str
    build: BuildPart
    manifest: KnowledgeBaseManifest | None
    """None when it could not be built."""


@dataclass(frozen=True, slots=True)
class Material:
    """Everything that a report is made of."""

    plan: Plan
    benchmarks: tuple[BenchmarkMaterial, ...]
    knowledge_bases: tuple[KnowledgeBaseMaterial, ...]
    facts: dict[Stage, list[DoneFact]]
    """How all items ended, by stage."""
    versions: dict[str, str]
    """Of libraries that computed scores, as the scorers said."""


@dataclass(frozen=True, slots=True)
class Finished:
    """A report with the material that it was made of: what a renderer is given."""

    report: EvaluationReport
    material: Material
