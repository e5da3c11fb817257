"""Average precision over pieces of evidence, whichever way they are told."""

from __future__ import annotations

from typing import Annotated

from bakeoff.runtime.registry import Is
from bakeoff.scoring.evidence_measures import EvidenceEvaluator, average_precision, evidence_measure
from bakeoff.scoring.registries import evaluators


@evaluators.register("evidence_average_precision")
def evidence_average_precision(
    *, k: Annotated[int, Is("first passages that count", minimum=1)] = 10
) -> EvidenceEvaluator:
    """Measure the mean precision at the ranks where the pieces of evidence are found, as `evidence_map@k`.

    Scale: [0, 1], higher is better. It is divided by all relevant pieces.
    Not applicable: the case has no evidence that a passage can be compared with.
    Source: average precision over pieces; a passage that is several pieces counts no more than its rank.
    """
    return evidence_measure("evidence_map", k, average_precision)
