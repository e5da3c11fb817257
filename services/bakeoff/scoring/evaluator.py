"""What an evaluator is: it names its metrics, says which cases it cannot judge, and scores the others in batches."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

from bakeoff.domain.answer import CaseAnswer, Failure
from bakeoff.domain.benchmark import Case, Json
from bakeoff.domain.score import MetricCard, Outcome, Score
from bakeoff.scoring.judge_models import Models


@dataclass(frozen=True, slots=True)
class AnsweredCase:
    """A case and what one entrant said to it, without a failure; the scores of its passages are finite."""

    case: Case
    answer: CaseAnswer


@dataclass(frozen=True, slots=True)
class ScoringContext:
    """What scores depend on besides the cases and the answers."""

    exclude_self: bool = False
    """Whether the benchmark leaves a document with the case's own id out of rankings."""
    seed: int = 0
    """Seed, with the case id, of everything random."""
    entrant: str = ""
    """Whose answers are scored, `recipe/mode`; empty outside of an evaluation."""
    models: Models | None = None
    """What evaluators ask models with; None where none can be asked."""
    others: Mapping[str, Mapping[str, CaseAnswer]] = field(default_factory=dict)
    """What other entrants said to the same cases, by entrant and case id: those that an evaluator asked for."""
    relevance_level: int = 1
    """Grade from which on a document is relevant to ranking measures; always 1 in an evaluation."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What an evaluator says of one case."""

    scores: tuple[Score, ...]
    """One for each of the evaluator's metrics, in their order."""
    details: Json = field(default_factory=dict)
    """What a reader wants to see, such as which evidence matched; JSON values."""


class Evaluator(Protocol):
    """One scoring method with its settings; thread-safe, and the same for the same input."""

    @property
    def metrics(self) -> tuple[MetricCard, ...]:
        """What it measures; `evaluator` and `version` are filled in by who made it from a spec."""

    def not_applicable(self, case: Case) -> str:
        """Return why the metrics say nothing about a case; empty when they do.

        It depends on the case alone, so that every entrant is measured over the same cases. An evaluator whose
        metrics need an answer is never asked about an answer without text.
        """

    def score(self, cases: Sequence[AnsweredCase], context: ScoringContext) -> list[Verdict]:
        """Score cases that are applicable, in their order.

        Raising fails the case that raised, and no other: it is asked again of each case alone.
        """


@runtime_checkable
class LeavesOutEntrants(Protocol):
    """An evaluator that says nothing about some entrant, whatever that one said or failed to say."""

    def left_out(self, context: ScoringContext) -> str:
        """Return why the metrics do not apply to the entrant whose answers are scored; empty when they do."""


def scored(metric: MetricCard, value: float, weight: float | None = None) -> Score:
    """Return a score with a value, and what it weighs in the figure of the whole corpus where the metric has one."""
    return Score(metric.name, Outcome.SCORED, float(value), weight=weight)


def failed(metric: str, failure: Failure) -> Score:
    """Return a score that should have a value and has none."""
    return Score(metric, Outcome.FAILED, failure=failure)


def not_applicable(metric: str, reason: str) -> Score:
    """Return the score of a metric that says nothing about the case."""
    return Score(metric, Outcome.NOT_APPLICABLE, reason=reason)
