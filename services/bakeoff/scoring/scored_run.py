"""Ranking measures of a run against judgements, computed as in an evaluation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bakeoff.domain.answer import CaseAnswer, Passage, Span
from bakeoff.domain.benchmark import Case, Evidence, Expected
from bakeoff.domain.component import ComponentSpec
from bakeoff.domain.errors import InvalidInputError, Violation
from bakeoff.scoring.core import score_batch
from bakeoff.scoring.evaluator import ScoringContext
from bakeoff.scoring.methods import Methods, make_methods
from bakeoff.scoring.ranking_level import DOCUMENTS
from bakeoff.scoring.registries import evaluators
from bakeoff.scoring.trec import TrecEvaluator

Run = Mapping[str, Mapping[str, float]]
Qrels = Mapping[str, Mapping[str, int]]
SHOWN = 3


@dataclass(frozen=True, slots=True)
class ScoredRun:
    """What came of a run."""

    means: dict[str, float]
    """Mean of each metric over all judged queries."""
    values: dict[str, dict[str, float]]
    """Value by metric and judged query, in the judgements' order."""
    missing: tuple[str, ...]
    """Judged queries that the run does not have; they count as 0."""
    unjudged: tuple[str, ...]
    """Queries of the run without a judgement; they do not count."""


def score_run(run: Run, qrels: Qrels, specs: Sequence[ComponentSpec], *, relevance_level: int = 1) -> ScoredRun:
    """Score a run.

    Args:
        run: Score by query and document; finite.
        qrels: Grade by query and document.
        specs: Ranking measures over documents.
        relevance_level: Grade from which on a document is relevant, as trec_eval's -l.

    Raises:
        NotFoundError: there is no evaluator of a name.
        InvalidInputError: an evaluator is no ranking measure or has a wrong setting, or the run and the judgements
            have no query in common.
    """
    judged = [query for query, grades in qrels.items() if grades]
    if not any(query in run for query in judged):
        raise InvalidInputError(
            f"0 of {len(judged)} judged queries are in the run: the judgements have {_some(judged)}, the run has "
            f"{_some(list(run))}"
        )
    methods = _ranking_methods(specs)
    cases = [_case(query, qrels[query]) for query in judged]
    answers = [_answer(query, run.get(query, {})) for query in judged]
    scored = score_batch(methods, cases, answers, ScoringContext(relevance_level=relevance_level))
    values: dict[str, dict[str, float]] = {card.name: {} for card in methods.metrics}
    for case in scored:
        for score in case.scores:
            if score.failure:
                raise InvalidInputError(f"query {case.case_id!r}: {score.failure.reason}")
            values[score.metric][case.case_id] = score.value or 0.0
    return ScoredRun(
        {metric: sum(each.values()) / len(each) for metric, each in values.items()},
        values,
        tuple(query for query in judged if query not in run),
        tuple(query for query in run if not qrels.get(query)),
    )


def _ranking_methods(specs: Sequence[ComponentSpec]) -> Methods:
    methods = make_methods(evaluators.load(), specs)
    for spec in specs:
        made = evaluators.make(spec)
        if not isinstance(made, TrecEvaluator) or made.level != DOCUMENTS:
            problem = "is no measure of a ranking of documents: a run has neither texts nor pages"
            raise InvalidInputError("the run cannot be scored so", [Violation(str(spec), problem)])
    return methods


def _some(queries: Sequence[str]) -> str:
    return ", ".join(map(repr, queries[:SHOWN])) + (", …" if len(queries) > SHOWN else "") if queries else "none"


def _case(query: str, grades: Mapping[str, int]) -> Case:
    evidence = (Evidence(locator={"document_id": name}, relevance=grade) for name, grade in grades.items())
    return Case(query, query, Expected(evidence=tuple(evidence)))


def _answer(query: str, ranking: Mapping[str, float]) -> CaseAnswer:
    ranked = sorted(ranking.items(), key=lambda each: -each[1])
    return CaseAnswer(
        query,
        tuple(
            Passage(rank, score, name, f"{name}#0", "", "", Span(0, 0))
            for rank, (name, score) in enumerate(ranked, start=1)
        ),
    )
