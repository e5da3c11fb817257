"""What a scoring method says of an answer: a value, not applicable, or failed with a reason."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Literal

from bakeoff.domain.answer import Failure

Pooling = Literal["", "weighted_mean", "weighted_geometric_mean"]


class Outcome(StrEnum):
    """How a case ended under a metric. There is no fourth way."""

    SCORED = "scored"
    NOT_APPLICABLE = "not_applicable"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Score:
    """One metric of one case."""

    metric: str
    """Name with its cut-off, such as `ndcg@10`."""
    outcome: Outcome
    value: float | None = None
    """Finite; None unless scored. A failed case counts as the worst value in headline means, where there is one."""
    reason: str = ""
    """Why it is not applicable; empty otherwise."""
    failure: Failure | None = None
    """Why it failed; None otherwise."""
    weight: float | None = None
    """What the case weighs in the metric's figure of the whole corpus, such as its bytes; None where there is none."""


@dataclass(frozen=True, slots=True)
class CaseScores:
    """All metrics of one case."""

    case_id: str
    scores: tuple[Score, ...]
    """One for each planned metric, in the plan's order."""
    details: dict[str, object] = field(default_factory=dict)
    """What an evaluator wants to be seen, such as which evidence matched; JSON values."""


@dataclass(frozen=True, slots=True)
class ScoreBatch:
    """The scores of one score item."""

    benchmark: str
    unit_id: str
    entrant: str
    cases: tuple[CaseScores, ...]
    """One for each planned case, in the plan's order."""
    metrics: tuple[MetricCard, ...] = ()
    """What the metrics of the scores are, in their order."""
    versions: dict[str, str] = field(default_factory=dict)
    """Version of each library that computed them."""


@dataclass(frozen=True, slots=True)
class MetricCard:
    """What a metric is, for whoever reads its number."""

    name: str
    evaluator: str
    """Signature of the method with all its settings."""
    version: str
    minimum: float = 0.0
    maximum: float | None = 1.0
    """None when it has no upper bound."""
    binary: bool = False
    """Whether a case can only have 0 or 1."""
    source: str = ""
    """Where the formula comes from."""
    needs_answer: bool = False
    """Whether it judges the answer's words: not applicable to a recipe that makes no answers."""
    prompt: str = ""
    """SHA-256 of all words that a judging model is told besides the material, 64 hexadecimal digits; empty when none
    judges."""
    lower_is_better: bool = False
    """Whether a smaller value is the better one."""
    pooling: Pooling = ""
    """How the cases' values make one of the whole corpus, by their weights; empty when only their mean is told."""

    @property
    def worst(self) -> float | None:
        """What a failed case counts as; None when there is no worst value, so that it cannot be counted."""
        return self.maximum if self.lower_is_better else 0.0
