"""The methods of a score item: evaluators made from their specs, and the metrics that they promise, in order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from bakeoff.domain.component import ComponentSpec
from bakeoff.domain.errors import InvalidInputError
from bakeoff.domain.score import MetricCard
from bakeoff.runtime.registry import Registry
from bakeoff.scoring.evaluator import Evaluator
from bakeoff.scoring.trec import TrecEvaluator


@dataclass(frozen=True, slots=True)
class Methods:
    """Evaluators that work on the same cases."""

    metrics: tuple[MetricCard, ...]
    """All metrics in the plan's order, each with the signature and version of its evaluator."""
    evaluators: tuple[Evaluator, ...]
    """Who computes them; those that rest on one computation are joined."""


def make_methods(registry: Registry[Evaluator], specs: Sequence[ComponentSpec]) -> Methods:
    """Make the evaluators of a plan. The same spec twice is one evaluator.

    Raises:
        NotFoundError: there is no evaluator of that name.
        InvalidInputError: a setting is wrong, or two evaluators give a metric of one name.
    """
    signatures = {str(registry.card(spec.name).resolve(spec)): spec for spec in specs}
    made: list[Evaluator] = []
    metrics: dict[str, MetricCard] = {}
    for signature, spec in signatures.items():
        evaluator = registry.make(spec)
        made.append(evaluator)
        for card in evaluator.metrics:
            if card.name in metrics:
                raise InvalidInputError(
                    f"two evaluators give the metric {card.name!r}: {metrics[card.name].evaluator} and {signature}"
                )
            metrics[card.name] = replace(card, evaluator=signature, version=registry.card(spec.name).version)
    return Methods(tuple(metrics.values()), _joined(made))


def _joined(made: Sequence[Evaluator]) -> tuple[Evaluator, ...]:
    # One evaluation of one run for all ranking measures: quicker, and ties fall the same way for all of them.
    trec = [evaluator for evaluator in made if isinstance(evaluator, TrecEvaluator)]
    others = [evaluator for evaluator in made if not isinstance(evaluator, TrecEvaluator)]
    return (TrecEvaluator.joined(trec), *others) if trec else tuple(others)
