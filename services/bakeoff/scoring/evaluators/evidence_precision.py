"""The share of the first passages that are evidence, whichever way it is told."""

from __future__ import annotations

from typing import Annotated

from bakeoff.runtime.registry import Is
from bakeoff.scoring.evidence_measures import EvidenceEvaluator, evidence_measure, precision
from bakeoff.scoring.registries import evaluators


@evaluators.register("evidence_precision")
def evidence_precision(*, k: Annotated[int, Is("first passages that count", minimum=1)] = 10) -> EvidenceEvaluator:
    """Measure how many of the first k passages are relevant evidence, over k.

    Scale: [0, 1], higher is better. It is divided by k also when fewer were found; a passage counts once.
    Not applicable: the case has no evidence that a passage can be compared with.
    Source: none; the matching rule is `fit` in `bakeoff.scoring.evidence`.
    """
    return evidence_measure("evidence_precision", k, precision)
