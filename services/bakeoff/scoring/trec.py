"""Ranking measures by trec_eval's own code, through pytrec_eval: the reference, not a rewrite of it."""

from __future__ import annotations

import struct
import threading
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version

import pytrec_eval

from bakeoff.domain.benchmark import Case, Json
from bakeoff.domain.errors import InvalidInputError
from bakeoff.domain.ranking import scored_documents
from bakeoff.domain.retrieval import judged_documents, retrieved_documents
from bakeoff.domain.score import MetricCard
from bakeoff.scoring.evaluator import AnsweredCase, ScoringContext, Verdict, scored

LIBRARY = "pytrec_eval-terrier"
EXTENSION = threading.Lock()
"""trec_eval keeps its state in globals: evaluating in two threads at once corrupts both."""
UNJUDGED = "unjudged: no evidence of the case names a document"


@dataclass(frozen=True, slots=True)
class TrecMeasure:
    """A metric and the measure of trec_eval that it is."""

    card: MetricCard
    measure: str
    """As trec_eval prints it, such as `ndcg_cut_10`."""
    last_rank: int | None = None
    """Rank behind which a reciprocal rank counts as 0; None when the measure knows its own cut."""

    def value(self, values: Mapping[str, float]) -> float:
        """Return the metric's value, given the values of all measures of a query."""
        value = values[self.measure]
        # 1/rank and the rank are both exact enough that a margin tells rank k from k + 1.
        return 0.0 if self.last_rank is not None and value * self.last_rank < 1 - 1e-9 else value


class TrecEvaluator:
    """Measures of a ranking of documents against judgements.

    Passages become documents by the highest score of each. Documents are ranked as trec_eval does it: by score as a
    32-bit float, descending, then by id, descending in byte order; ranks and positions do not matter. Relevance of 1
    and above is relevant. A case whose judgements are all 0 scores 0, as in trec_eval; one without any is unjudged.
    """

    def __init__(self, measures: Iterable[TrecMeasure]) -> None:
        """Measure these."""
        self._measures = tuple(measures)

    @classmethod
    def joined(cls, evaluators: Iterable[TrecEvaluator]) -> TrecEvaluator:
        """Return one evaluator with the measures of several."""
        return cls(measure for evaluator in evaluators for measure in evaluator._measures)

    @property
    def metrics(self) -> tuple[MetricCard, ...]:
        """What it measures."""
        return tuple(measure.card for measure in self._measures)

    def not_applicable(self, case: Case) -> str:
        """Return a reason when nothing is judged."""
        return "" if judged_documents(case) else UNJUDGED

    def score(self, cases: Sequence[AnsweredCase], context: ScoringContext) -> list[Verdict]:
        """Score a batch with one call of trec_eval.

        Raises:
            InvalidInputError: a document id cannot be told to trec_eval.
        """
        # Queries go by their position: a case id may be any text, and may occur in two units.
        qrels = {str(number): judged_documents(each.case) for number, each in enumerate(cases)}
        run = {
            str(number): retrieved_documents(each.answer, exclude_self=context.exclude_self)
            for number, each in enumerate(cases)
        }
        for query, ranking in run.items():
            _check_ids([*ranking, *qrels[query]])
        found = evaluate(qrels, run, {measure.measure for measure in self._measures})
        return [
            Verdict(
                tuple(scored(measure.card, measure.value(found[str(number)])) for measure in self._measures),
                _details(each, run[str(number)]),
            )
            for number, each in enumerate(cases)
        ]


def evaluate(
    qrels: Mapping[str, Mapping[str, int]], run: Mapping[str, Mapping[str, float]], measures: set[str]
) -> dict[str, dict[str, float]]:
    """Return the values of trec_eval's measures for each query of the run that has judgements.

    Args:
        qrels: Relevance by query and document.
        run: Score by query and document; a query without documents scores 0.
        measures: Names as trec_eval prints them.
    """
    with EXTENSION:
        values: dict[str, dict[str, float]] = pytrec_eval.RelevanceEvaluator(qrels, measures).evaluate(run)
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


def _details(each: AnsweredCase, ranking: Mapping[str, float]) -> Json:
    details: dict[str, object] = {}
    merged = len(each.answer.passages) - len({document_id for document_id, _ in scored_documents(each.answer.passages)})
    if merged:
        details["merged_passages"] = merged
    if tied := _tied(list(ranking.values())):
        details["tied_documents"] = tied
    return details


def _tied(scores: Sequence[float]) -> int:
    """Return how many documents share their score, as 32 bits, with another: trec_eval orders those by id."""
    try:
        rounded = struct.unpack(f"{len(scores)}f", struct.pack(f"{len(scores)}f", *scores))
    except OverflowError:  # beyond 32 bits all are infinite; ties among them are not counted
        return 0
    if len(set(rounded)) == len(rounded):
        return 0
    return sum(count for count in Counter(rounded).values() if count > 1)


@cache
def source(measure: str) -> str:
    """Return where a measure's formula comes from, for its card."""
    return f"trec_eval {measure} by {LIBRARY} {version(LIBRARY)}; passages to documents by highest score"


def measure_of(name: str, measure: str, *, binary: bool = False, last_rank: int | None = None) -> TrecEvaluator:
    """Return the evaluator of one measure.

    Args:
        name: The metric's name, such as `ndcg@10`.
        measure: trec_eval's name, such as `ndcg_cut_10`.
        binary: Whether a case can only have 0 or 1.
        last_rank: Rank behind which a reciprocal rank counts as 0.
    """
    card = MetricCard(name, "", "", binary=binary, source=source(measure))
    return TrecEvaluator([TrecMeasure(card, measure, last_rank)])
