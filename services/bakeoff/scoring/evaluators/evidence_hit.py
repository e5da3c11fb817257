"""Whether any evidence was found, whichever way it is told."""

from __future__ import annotations

from typing import Annotated

from bakeoff.runtime.registry import Is
from bakeoff.scoring.evidence_measures import EvidenceEvaluator, evidence_measure, hit
from bakeoff.scoring.registries import evaluators


@evaluators.register("evidence_hit")
def evidence_hit(*, k: Annotated[int, Is("first passages that count", minimum=1)] = 10) -> EvidenceEvaluator:
    """Measure whether at least one relevant piece of evidence is among the first k passages.

    Scale: {0, 1}, higher is better; a mean is the share of cases with a hit.
    Not applicable: the case has no evidence that a passage can be compared with.
    Source: none; the matching rule is `fit` in `bakeoff.scoring.evidence`.
    """
    return evidence_measure("evidence_hit", k, hit, binary=True)
