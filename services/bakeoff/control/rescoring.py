"""Re-scoring: a plan whose answers are those that an earlier evaluation has stored, so that only scoring is left."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from bakeoff import __version__
from bakeoff.control.checking import check_evaluators
from bakeoff.control.named_components import versions as versions_of
from bakeoff.control.opponents import with_opponents, with_opponents_answers
from bakeoff.domain.component import ComponentCard, ComponentKind, ComponentSpec
from bakeoff.domain.errors import InvalidInputError, UnavailableError, Violation
from bakeoff.domain.evaluation import (
    EvaluationRecord,
    EvaluationRequest,
    EvaluationState,
    Rescoring,
    Stage,
)
from bakeoff.domain.identity import digest_of
from bakeoff.domain.recipe import Recipe
from bakeoff.domain.work import DoneFact, Plan, PlanItem, PlannedBenchmark, ScoreTask

OWN_STAGES = (Stage.SCORE, Stage.REPORT)
"""What a re-scoring does itself; how the items of the other stages ended is taken over."""
METHODS = "rescoring.evaluators"
REFUSED = "the answers cannot be scored so"
EVALUATOR = f"{ComponentKind.EVALUATOR.value}:"
"""How the versions of methods are named among those of all components."""


def check_rescoring(request: EvaluationRequest, cards: Sequence[ComponentCard]) -> Rescoring:
    """Return what is asked of a re-scoring, after looking at all that can be told without the earlier evaluation.

    Args:
        request: With a `rescoring`.
        cards: Every component that is known.

    Raises:
        InvalidInputError: no evaluation or no method is named, a method is unknown or its settings are wrong, or the
            request brings benchmarks or recipes of its own; all faults at once.
        UnavailableError: no service has announced its methods.
    """
    rescoring = request.rescoring or Rescoring("")
    known = [card.name for card in cards if card.kind is ComponentKind.EVALUATOR]
    if not known:
        raise UnavailableError("no service has announced its evaluators; is scoring running?")
    violations = [
        Violation(field, "must be empty: a re-scoring has those of the evaluation whose answers it scores")
        for field, given in (("benchmarks", request.benchmarks), ("recipes", request.recipes))
        if given
    ]
    if not rescoring.evaluation_id:
        violations.append(Violation("rescoring.evaluation_id", "must name the evaluation whose answers are scored"))
    if not rescoring.evaluators:
        problem = f"must name at least one evaluator; known: {', '.join(sorted(known))}"
        violations.append(Violation("rescoring.evaluators", problem))
    concurrency = request.options.concurrency
    if concurrency is not None and concurrency < 1:
        violations.append(Violation("options.concurrency", f"must be a whole number from 1, not {concurrency}"))
    violations += check_evaluators(rescoring.evaluators, (), cards, METHODS)[1]
    if violations:
        raise InvalidInputError(REFUSED, violations)
    return rescoring


def check_source(record: EvaluationRecord) -> None:
    """Check that the answers of an evaluation can be scored again: all of them are there.

    Raises:
        InvalidInputError: it has not completed; says how it stands.
    """
    if record.state is not EvaluationState.COMPLETED:
        because = f" ({record.reason})" if record.reason else ""
        advice = "submit it again to complete it" if record.state.ended else "wait until it has completed"
        raise InvalidInputError(
            f"evaluation {record.evaluation_id} is {record.state.value}{because}: only the answers of a completed "
            f"evaluation can be scored again; {advice}"
        )


def check_facts(source: Plan, ended: Iterable[str]) -> None:
    """Check that it is still known how the items of an evaluation ended.

    Args:
        source: Its plan.
        ended: `<stage>/<item>` of what is known.

    Raises:
        InvalidInputError: of some it is not.
    """
    asked = {item.name for item in source.items if item.task.stage not in OWN_STAGES}
    lost = sorted(asked - set(ended))
    if lost:
        raise InvalidInputError(
            f"how {len(lost)} of the {len(asked)} items of evaluation {source.evaluation_id} ended is no longer known, "
            f"such as {lost[0]}: such records are kept for a limited time; evaluate it again, which asks no model for "
            "what it has answered"
        )


def rescored_request(
    request: EvaluationRequest, rescoring: Rescoring, source: Plan, cards: Sequence[ComponentCard]
) -> EvaluationRequest:
    """Return the whole request of a re-scoring: what the earlier evaluation asked, with other methods, and its key.

    Args:
        request: As it came.
        rescoring: As `check_rescoring` gave it.
        source: Plan of the earlier evaluation.
        cards: Every component that is known.

    Raises:
        InvalidInputError: a method does not fit the recipes, or one that is kept is not known any more.
    """
    earlier = source.request
    chosen = [_chosen(rescoring, planned, earlier.recipes, cards) for planned in source.benchmarks]
    first = earlier.rescoring.evaluation_id if earlier.rescoring else source.evaluation_id
    resolved = replace(
        earlier,
        name=request.name.strip() or (earlier.name if earlier.rescoring else f"{earlier.name}, re-scored"),
        benchmarks=tuple(
            replace(choice, evaluators=specs) for choice, specs in zip(earlier.benchmarks, chosen, strict=True)
        ),
        options=replace(earlier.options, concurrency=request.options.concurrency),
        tenant=request.tenant,
        idempotency_key=request.idempotency_key,
        rescoring=Rescoring(first),
    )
    if resolved.idempotency_key:
        return resolved
    essence = replace(resolved, options=replace(resolved.options, concurrency=None))
    made_with = _method_versions(resolved, cards) | {"bakeoff": __version__}
    return replace(resolved, idempotency_key=digest_of({"request": essence, "versions": made_with}))


def rescored_plan(evaluation_id: str, request: EvaluationRequest, source: Plan, cards: Sequence[ComponentCard]) -> Plan:
    """Return the plan of a re-scoring: every item of the earlier evaluation, of which scoring has other methods.

    Args:
        evaluation_id: Whose plan it is.
        request: As `rescored_request` gave it.
        source: Plan of the earlier evaluation.
        cards: Every component that is known.

    Raises:
        UnavailableError: a method is not announced any more.
    """
    versions = _method_versions(request, cards)
    named = {EVALUATOR + spec.name for choice in request.benchmarks for spec in choice.evaluators}
    if not named <= versions.keys():
        raise UnavailableError(f"no service announces {', '.join(sorted(named - versions.keys()))} any more")
    kept = {name: version for name, version in source.versions.items() if not name.startswith(EVALUATOR)}
    benchmarks = tuple(
        replace(planned, evaluators=choice.evaluators)
        for planned, choice in zip(source.benchmarks, request.benchmarks, strict=True)
    )
    chosen = {planned.name: planned.evaluators for planned in benchmarks}
    items = with_opponents_answers([_item(item, evaluation_id, request.tenant, chosen) for item in source.items])
    return Plan(evaluation_id, request, benchmarks, items, dict(sorted((kept | versions).items())))


def taken_over(fact: DoneFact, evaluation_id: str) -> DoneFact | None:
    """Return a fact of the earlier evaluation as one of the re-scoring's; None when it does that item itself."""
    return None if fact.stage in OWN_STAGES else replace(fact, evaluation_id=evaluation_id)


def _chosen(
    rescoring: Rescoring, planned: PlannedBenchmark, recipes: Sequence[Recipe], cards: Sequence[ComponentCard]
) -> tuple[ComponentSpec, ...]:
    kept: tuple[ComponentSpec, ...] = ()
    if rescoring.add:
        kept, wrong = check_evaluators(planned.evaluators, recipes, cards, planned.name)
        if wrong:
            raise InvalidInputError("the earlier methods cannot be kept; replace them instead", wrong)
    further, wrong = check_evaluators(rescoring.evaluators, recipes, cards, METHODS)
    if wrong:
        raise InvalidInputError(REFUSED, wrong)
    # The same method twice is one.
    return tuple(dict.fromkeys(with_opponents((*kept, *further), recipes)))


def _method_versions(request: EvaluationRequest, cards: Sequence[ComponentCard]) -> dict[str, str]:
    found = versions_of(request, cards)
    return {name: version for name, version in found.items() if name.startswith(EVALUATOR)}


def _item(item: PlanItem, evaluation_id: str, tenant: str, methods: dict[str, tuple[ComponentSpec, ...]]) -> PlanItem:
    task = replace(item.task, evaluation_id=evaluation_id, tenant=tenant)
    if isinstance(task.body, ScoreTask):
        task = replace(task, body=replace(task.body, evaluators=methods[task.body.benchmark]))
    return replace(item, task=task)
