"""The work of the stage `score`: the answers of one infer item become scores."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import cache
from importlib.metadata import PackageNotFoundError, version

from bakeoff.contract import object_keys
from bakeoff.contract.stored import PreparedReader, encode
from bakeoff.contract.stored_answers import decode_answers
from bakeoff.domain.answer import CaseAnswer, Failure, FailureKind
from bakeoff.domain.benchmark import Case
from bakeoff.domain.component import ComponentSpec
from bakeoff.domain.evaluation import Stage
from bakeoff.domain.retrieval import excludes_self
from bakeoff.domain.score import CaseScores, Outcome, ScoreBatch
from bakeoff.domain.work import ScoreTask, Task
from bakeoff.models.opening import models_of
from bakeoff.runtime.items import ItemContext, PoisonedCaseError, Result, StageHandler
from bakeoff.runtime.nested import nested_specs
from bakeoff.runtime.service import Deps
from bakeoff.scoring.core import score_batch
from bakeoff.scoring.evaluator import ScoringContext
from bakeoff.scoring.judge_models import OpenedModels
from bakeoff.scoring.methods import Methods, make_methods
from bakeoff.scoring.registries import evaluators
from bakeoff.scoring.trec import LIBRARY

ANSWER_LIBRARIES = {
    "rouge": "rouge-score",
    "bleu": "sacrebleu",
    "chrf": "sacrebleu",
    "ter": "sacrebleu",
    "math_equivalence": "math-verify",
    "key2_qa": "math-verify",
    "key2_q_ma": "math-verify",
}
"""Library of the extra `answers` that an evaluator computes with, by the evaluator's name."""


def make_handler(deps: Deps) -> StageHandler:
    """Return the handler of the stage."""
    models = OpenedModels(models_of(deps))
    return StageHandler(
        Stage.SCORE,
        lambda task: object_keys.scores(task.evaluation_id, task.item),
        lambda task, context: score(task, context, models),
    )


def score(task: Task, context: ItemContext, models: OpenedModels | None = None) -> Result:
    """Score the answers of one infer item.

    Args:
        task: The item.
        context: What it may use.
        models: What evaluators ask models with; None where none can be asked.

    Raises:
        NotFoundError: an evaluator or an object does not exist.
        InvalidInputError: an evaluator's setting is wrong, or the answers are not those of the cases.
    """
    body = task.body
    if not isinstance(body, ScoreTask):
        raise TypeError(f"a score task has a {type(body).__name__}")
    methods = make_methods(evaluators, body.evaluators)
    prepared = PreparedReader.open(context.objects, body.prepared)
    cases = tuple(prepared.cases(body.cases_start, body.cases_stop))
    answers = _answers(body, cases, context)
    scoring = ScoringContext(
        excludes_self(prepared.manifest.benchmark),
        body.seed,
        str(body.entrant),
        # Alone in a process, the case is what begins, and not each answer.
        replace(models, step=_nothing if context.isolated else context.begin) if models else None,
        {entrant: _others_answers(item, context) for entrant, item in body.opponents.items()},
    )

    scored = _score(methods, cases, answers, scoring, context)

    batch = ScoreBatch(
        body.benchmark,
        body.unit_id,
        str(body.entrant),
        scored,
        methods.metrics,
        library_versions(_named(body.evaluators)),
    )
    return Result(encode(batch), counts=_counts(scored))


def _nothing() -> None:
    pass


def _answers(body: ScoreTask, cases: tuple[Case, ...], context: ItemContext) -> tuple[CaseAnswer, ...]:
    fact = context.fact(Stage.INFER, body.infer_item)
    if fact.result is not None:
        return decode_answers(context.objects.read(fact.result)).answers
    unknown = Failure(FailureKind.INFRASTRUCTURE, "the questions were not asked, for a reason that was not recorded")
    return tuple(CaseAnswer(case.case_id, failure=fact.failure or unknown) for case in cases)


def _others_answers(item: str, context: ItemContext) -> dict[str, CaseAnswer]:
    """Return what another entrant said to the same cases, by case id; empty when it was not asked."""
    fact = context.fact(Stage.INFER, item)
    if fact.result is None:
        return {}
    return {answer.case_id: answer for answer in decode_answers(context.objects.read(fact.result)).answers}


def _score(
    methods: Methods,
    cases: tuple[Case, ...],
    answers: tuple[CaseAnswer, ...],
    scoring: ScoringContext,
    context: ItemContext,
) -> tuple[CaseScores, ...]:
    context.begin()
    if not context.isolated:
        return score_batch(methods, cases, answers, scoring)
    # Alone in a process that a case may kill: one by one, so that the right case is blamed.
    scores: list[CaseScores] = []
    for case, answer in zip(cases, answers, strict=True):
        try:
            context.begin(case.case_id)
        except PoisonedCaseError as error:
            answer = replace(answer, passages=(), text=None, failure=error.failure)
        scores += score_batch(methods, [case], [answer], scoring)
    return tuple(scores)


def _counts(scores: tuple[CaseScores, ...]) -> dict[str, int]:
    failed = sum(any(score.outcome is Outcome.FAILED for score in case.scores) for case in scores)
    return {"cases": len(scores), "failed_cases": failed}


def _named(specs: Iterable[ComponentSpec]) -> Iterator[str]:
    """Yield the names of evaluators and of those in their settings."""
    for spec in specs:
        yield spec.name
        yield from (inner.name for inner in nested_specs(evaluators.card(spec.name), spec))


def library_versions(evaluators: Iterable[str]) -> dict[str, str]:
    """Return the version of each library that computes the scores of some evaluators and is installed.

    Of these alone: what else is installed changes no number, and so must not change a report's digest.
    """
    used = {LIBRARY, *(ANSWER_LIBRARIES[name] for name in evaluators if name in ANSWER_LIBRARIES)}
    known = {name: _version(name) for name in sorted(used)}
    return {name: found for name, found in known.items() if found is not None}


@cache
def _version(library: str) -> str | None:
    try:
        return version(library)
    except PackageNotFoundError:
        return None
