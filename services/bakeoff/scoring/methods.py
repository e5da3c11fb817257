"""The methods of a score item: evaluators made from their specs, and the metrics that they promise, in order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from bakeoff.domain.component import ComponentSpec
from bakeoff.domain.errors import InvalidInputError
from bakeoff.domain.score import MetricCard
from bakeoff.runtime.nested import nested_specs
from bakeoff.runtime.registry import Registry
from bakeoff.scoring.evaluator import Evaluator
from bakeoff.scoring.evidence_measures import EvidenceEvaluator
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
            version = _version(registry, spec)
            # Words that a judge is told are as much of a method as its code.
            version += f"+{card.prompt[:12]}" if card.prompt else ""
            metrics[card.name] = replace(card, evaluator=signature, version=version)
    return Methods(tuple(metrics.values()), _joined(made))


def _version(registry: Registry[Evaluator], spec: ComponentSpec) -> str:
    """Return the version of a method, with that of the method that scores each sample for it."""
    card = registry.card(spec.name)
    return "+".join([card.version, *(registry.card(inner.name).version for inner in nested_specs(card, spec))])


def _joined(made: Sequence[Evaluator]) -> tuple[Evaluator, ...]:
    # One evaluation of one run for all ranking measures: quicker, and ties fall the same way for all of them.
    trec = [evaluator for evaluator in made if isinstance(evaluator, TrecEvaluator)]
    evidence = [evaluator for evaluator in made if isinstance(evaluator, EvidenceEvaluator)]
    others = [evaluator for evaluator in made if not isinstance(evaluator, TrecEvaluator | EvidenceEvaluator)]
    looking = (EvidenceEvaluator.joined(evidence),) if evidence else ()
    return (*TrecEvaluator.joined(trec), *looking, *others)
