"""Ranking measures by trec_eval's own code, through pytrec_eval: the reference, not a rewrite of it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version

import pytrec_eval

from bakeoff.domain.benchmark import Case, Json
from bakeoff.domain.errors import InvalidInputError
from bakeoff.domain.score import MetricCard
from bakeoff.scoring.evaluator import AnsweredCase, ScoringContext, Verdict, scored
from bakeoff.scoring.ranking_level import DOCUMENTS, Level
from bakeoff.scoring.ranking_measures import tied_groups, trec_order

LIBRARY = "pytrec_eval-terrier"
EXTENSION = threading.Lock()
"""trec_eval keeps its state in globals: evaluating in two threads at once corrupts both."""


@dataclass(frozen=True, slots=True)
class Ranked:
    """The ranking of one case against its judgements."""

    scores: Mapping[str, float]
    """Score of each document, or page, that was retrieved."""
    order: Sequence[str]
    """Them in trec_eval's order."""
    judged: Mapping[str, int]
    values: Mapping[str, float]
    """Values of all measures of trec_eval that were asked for, by their names."""
    relevance_level: int = 1
    """Grade from which on something is relevant."""

    @property
    def grades(self) -> list[int]:
        """Relevance in ranked order; 0 for what is not judged."""
        return [self.judged.get(name, 0) for name in self.order]

    @property
    def relevant(self) -> list[bool]:
        """Whether each is relevant, in ranked order."""
        return [grade >= self.relevance_level for grade in self.grades]


@dataclass(frozen=True, slots=True)
class TrecMeasure:
    """A metric of a ranking: a measure of trec_eval, or a function of the same order."""

    card: MetricCard
    measure: str = ""
    """As trec_eval prints it, such as `ndcg_cut_10`; empty when it has none."""
    last_rank: int | None = None
    """Rank behind which a reciprocal rank counts as 0; None when the measure knows its own cut."""
    function: Callable[[Ranked], float] | None = None
    """What is measured when trec_eval does not have it."""

    def value(self, ranked: Ranked) -> float:
        """Return the metric's value."""
        if self.function is not None:
            return self.function(ranked)
        value = ranked.values[self.measure]
        # 1/rank and the rank are both exact enough that a margin tells rank k from k + 1.
        return 0.0 if self.last_rank is not None and value * self.last_rank < 1 - 1e-9 else value


class TrecEvaluator:
    """Measures of a ranking of documents, or of pages, against judgements.

    Passages become documents by the highest score of each. Documents are ranked as trec_eval does it: by score as a
    32-bit float, descending, then by id, descending in byte order; ranks and positions do not matter. Relevance of 1
    and above is relevant. A case whose judgements are all 0 scores 0, as in trec_eval; one without any is unjudged.
    """

    def __init__(self, measures: Iterable[TrecMeasure], level: Level = DOCUMENTS) -> None:
        """Measure these over documents, or whatever the level says."""
        self._measures = tuple(measures)
        self.level = level

    @classmethod
    def joined(cls, evaluators: Sequence[TrecEvaluator]) -> tuple[TrecEvaluator, ...]:
        """Return one evaluator for each level, with the measures of all."""
        levels = dict.fromkeys(evaluator.level for evaluator in evaluators)
        return tuple(
            cls((measure for each in evaluators if each.level == level for measure in each._measures), level)
            for level in levels
        )

    @property
    def metrics(self) -> tuple[MetricCard, ...]:
        """What it measures."""
        return tuple(measure.card for measure in self._measures)

    def not_applicable(self, case: Case) -> str:
        """Return a reason when nothing is judged."""
        return "" if self.level.judged(case) else self.level.unjudged

    def score(self, cases: Sequence[AnsweredCase], context: ScoringContext) -> list[Verdict]:
        """Score a batch with one call of trec_eval.

        Raises:
            InvalidInputError: a document id cannot be told to trec_eval.
        """
        # Queries go by their position: a case id may be any text, and may occur in two units.
        qrels = {str(number): self.level.judged(each.case) for number, each in enumerate(cases)}
        run = {
            str(number): self.level.retrieved(each.answer, exclude_self=context.exclude_self)
            for number, each in enumerate(cases)
        }
        for query, ranking in run.items():
            _check_ids([*ranking, *qrels[query]])
        asked = {measure.measure for measure in self._measures if measure.measure}
        found = evaluate(qrels, run, asked, context.relevance_level) if asked else {}
        needs_order = any(measure.function is not None for measure in self._measures)
        verdicts = []
        for number, each in enumerate(cases):
            query = str(number)
            order = trec_order(run[query]) if needs_order else ()
            ranked = Ranked(run[query], order, qrels[query], found.get(query, {}), context.relevance_level)
            scores = tuple(scored(measure.card, measure.value(ranked)) for measure in self._measures)
            verdicts.append(Verdict(scores, self._details(each, ranked)))
        return verdicts

    def _details(self, each: AnsweredCase, ranked: Ranked) -> Json:
        details: dict[str, object] = {}
        if merged := self.level.merged(each.answer.passages):
            details["merged_passages"] = merged
        if tied := tied_groups(ranked.scores):
            details[f"tied_{self.level.plural}"] = sum(map(len, tied))
            if any(len({ranked.judged.get(name, 0) for name in group}) > 1 for group in tied):
                # One score and several grades: how they are ordered decides the measures.
                details["tied_at_cut"] = True
        return details


def evaluate(
    qrels: Mapping[str, Mapping[str, int]],
    run: Mapping[str, Mapping[str, float]],
    measures: set[str],
    relevance_level: int = 1,
) -> dict[str, dict[str, float]]:
    """Return the values of trec_eval's measures for each query of the run that has judgements.

    Args:
        qrels: Relevance by query and document.
        run: Score by query and document; a query without documents scores 0.
        measures: Names as trec_eval prints them.
        relevance_level: Grade from which on a document is relevant, from 1.
    """
    with EXTENSION:
        evaluator = pytrec_eval.RelevanceEvaluator(qrels, measures, relevance_level=relevance_level)
        values: dict[str, dict[str, float]] = evaluator.evaluate(run)
    return values


def _check_ids(ids: Sequence[str]) -> None:
    # The extension cuts an id at NUL and crashes the process on text that is no UTF-8.
    text = "\n".join(ids)
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise InvalidInputError(f"a document id is not valid Unicode: {error}") from error
    if "\0" in text:
        raise InvalidInputError("a document id holds a NUL character, which trec_eval cannot read")


@cache
def source(measure: str, level: Level = DOCUMENTS) -> str:
    """Return where a measure's formula comes from, for its card."""
    return f"trec_eval {measure} by {LIBRARY} {version(LIBRARY)}; passages to {level.plural} by highest score"


def measure_of(
    name: str, measure: str, *, binary: bool = False, last_rank: int | None = None, level: Level = DOCUMENTS
) -> TrecEvaluator:
    """Return the evaluator of one measure.

    Args:
        name: The metric's name, such as `ndcg@10`.
        measure: trec_eval's name, such as `ndcg_cut_10`.
        binary: Whether a case can only have 0 or 1.
        last_rank: Rank behind which a reciprocal rank counts as 0.
        level: What is ranked.
    """
    card = MetricCard(name, "", "", binary=binary, source=source(measure, level))
    return TrecEvaluator([TrecMeasure(card, measure, last_rank)], level)


def function_of(name: str, function: Callable[[Ranked], float], told: str) -> TrecEvaluator:
    """Return the evaluator of one measure that trec_eval does not have.

    Args:
        name: The metric's name.
        function: The measure.
        told: Where its formula comes from.
    """
    card = MetricCard(name, "", "", source=f"{told}; passages to documents by highest score, in trec_eval's order")
    return TrecEvaluator([TrecMeasure(card, function=function)])
