"""What one entrant said to a benchmark's cases and how that was scored, read item by item."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from bakeoff.domain.answer import Failure, FailureKind, Timing
from bakeoff.domain.benchmark import Case
from bakeoff.domain.errors import InvalidInputError
from bakeoff.domain.recipe import Recipe
from bakeoff.domain.retrieval import judged_documents, judged_pages
from bakeoff.domain.score import CaseScores, MetricCard, Outcome, Score, ScoreBatch
from bakeoff.domain.work import DoneFact, ScoreTask
from bakeoff.reporting.material import SHOWN_PASSAGES, CaseOutcome, EntrantMaterial, PlannedCase
from bakeoff.reporting.stored_answers import ReadAnswer, read_answers
from bakeoff.reporting.trec import changed_ids, ranked, run_lines, trec_id
from bakeoff.runtime.items import ItemContext

NO_ANSWERS = "the recipe makes no answers"
NOT_ASKED = Failure(FailureKind.INFRASTRUCTURE, "the questions were not asked, for a reason that was not recorded")


@dataclass(frozen=True, slots=True)
class ReadItem:
    """A score item with what it came to."""

    body: ScoreTask
    asked: DoneFact | None
    """How its infer item ended; None when that is not known."""
    scores: ScoreBatch | Failure
    """Its scores, or why there are none."""


def read_entrant(
    recipe: Recipe,
    mode: str,
    items: Sequence[ReadItem],
    metrics: Sequence[MetricCard],
    cases: Mapping[int, PlannedCase],
    context: ItemContext,
    knowledge_bases: Sequence[str],
    *,
    exclude_self: bool,
) -> EntrantMaterial:
    """Return what became of every case under one entrant, with one batch of answers in memory at a time.

    Args:
        recipe: The entrant's recipe.
        mode: Name of its query mode.
        items: Its score items in the order of their cases; together they cover all cases.
        metrics: The benchmark's metrics.
        cases: The benchmark's cases by place.
        context: Where the answers are read.
        knowledge_bases: Ids of the knowledge bases that were asked.
        exclude_self: Whether documents with the case's id are left out of runs.

    Raises:
        InvalidInputError: a batch does not hold the cases that it should.
    """
    tag = trec_id(f"{recipe.name}/{mode}")
    outcomes: list[CaseOutcome] = []
    run: list[str] = []
    pages_run: list[str] = []
    changed: dict[str, str] = {}
    for item in items:
        context.begin()
        for place, answer, scores in _pairs(item, metrics, cases, context, exclude_self=exclude_self):
            order = ranked(answer.documents)
            run.append(run_lines(cases[place].query_id, answer.documents, order, tag))
            changed |= changed_ids(answer.documents)
            if answer.pages and judged_pages(cases[place].case):
                pages_run.append(run_lines(cases[place].query_id, answer.pages, ranked(answer.pages), tag))
                changed |= changed_ids(answer.pages)
            ranks = _ranks(cases[place].case, order)
            outcomes.append(_outcome(answer, scores, metrics, ranks, makes_answers=recipe.answer is not None))
    return EntrantMaterial(
        recipe,
        mode,
        tuple(outcomes),
        "".join(run).encode(),
        changed,
        tuple(knowledge_bases),
        "".join(pages_run).encode(),
    )


def _pairs(
    item: ReadItem,
    metrics: Sequence[MetricCard],
    cases: Mapping[int, PlannedCase],
    context: ItemContext,
    *,
    exclude_self: bool,
) -> Iterator[tuple[int, ReadAnswer, CaseScores]]:
    places = range(item.body.cases_start, item.body.cases_stop)
    ids = [cases[place].case.case_id for place in places]
    answers = _answers(item, ids, context, exclude_self=exclude_self)
    if isinstance(item.scores, ScoreBatch):
        scores = item.scores.cases
    else:
        missing = tuple(Score(card.name, Outcome.FAILED, failure=item.scores) for card in metrics)
        scores = tuple(CaseScores(case_id, missing) for case_id in ids)
    if not ids == [answer.case_id for answer in answers] == [each.case_id for each in scores]:
        raise InvalidInputError(
            f"the answers or scores of {item.body.entrant} to the cases {places.start} to {places.stop} of "
            f"{item.body.benchmark!r} are of other cases"
        )
    return zip(places, answers, scores, strict=True)


def _answers(item: ReadItem, ids: Sequence[str], context: ItemContext, *, exclude_self: bool) -> tuple[ReadAnswer, ...]:
    if item.asked and item.asked.result:
        data = context.objects.read(item.asked.result)
        return tuple(read_answers(data, SHOWN_PASSAGES, exclude_self=exclude_self))
    failure = (item.asked.failure if item.asked else None) or NOT_ASKED
    return tuple(ReadAnswer(case_id, {}, {}, (), None, failure, Timing(), None) for case_id in ids)


def _ranks(case: Case, order: Sequence[str]) -> dict[str, int]:
    places = {document: rank for rank, document in enumerate(order, start=1)}
    return {
        document: places[document]
        for document, grade in judged_documents(case).items()
        if grade > 0 and document in places
    }


def _outcome(
    answer: ReadAnswer,
    scores: CaseScores,
    metrics: Sequence[MetricCard],
    ranks: dict[str, int],
    *,
    makes_answers: bool,
) -> CaseOutcome:
    return CaseOutcome(
        tuple(_settled(score, card, makes_answers) for score, card in zip(scores.scores, metrics, strict=True)),
        answer.failure,
        answer.text,
        answer.shown,
        answer.timing,
        scores.details,
        ranks,
        answer.usage,
        answer.prompt,
        answer.retrieval_usage,
        answer.fell_back,
        answer.retrieval,
        answer.embedding_usage,
    )


def _settled(score: Score, card: MetricCard, makes_answers: bool) -> Score:
    # A failure cannot tell whether there would have been an answer, the recipe can: else one failed case would turn
    # a metric that never applies into a mean of 0.
    if card.needs_answer and not makes_answers:
        return Score(score.metric, Outcome.NOT_APPLICABLE, reason=NO_ANSWERS)
    return score
