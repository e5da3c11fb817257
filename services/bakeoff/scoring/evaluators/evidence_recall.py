"""The share of the evidence that was found, whichever way the evidence is told."""

from __future__ import annotations

from typing import Annotated

from bakeoff.runtime.registry import Is
from bakeoff.scoring.evidence_measures import EvidenceEvaluator, evidence_measure, recall
from bakeoff.scoring.registries import evaluators


@evaluators.register("evidence_recall", version="2")
def evidence_recall(*, k: Annotated[int, Is("first passages that count", minimum=1)] = 5) -> EvidenceEvaluator:
    """Measure the share of the relevant pieces of evidence that are among the first k passages.

    Scale: [0, 1], higher is better. Passages count as they come, several of one document included.
    Not applicable: the case has no evidence that a passage can be compared with.
    Source: none; the matching rule is `fit` in `bakeoff.scoring.evidence`.
    """
    return evidence_measure("evidence_recall", k, recall)
