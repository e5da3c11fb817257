"""Whether all evidence was found, whichever way it is told."""

from __future__ import annotations

from typing import Annotated

from bakeoff.runtime.registry import Is
from bakeoff.scoring.evidence_measures import EvidenceEvaluator, complete, evidence_measure
from bakeoff.scoring.registries import evaluators


@evaluators.register("evidence_complete")
def evidence_complete(*, k: Annotated[int, Is("first passages that count", minimum=1)] = 10) -> EvidenceEvaluator:
    """Measure whether all relevant pieces of evidence are among the first k passages.

    Scale: {0, 1}, higher is better; a mean is the share of cases that could be answered from what was found.
    Not applicable: the case has no evidence that a passage can be compared with.
    Source: the share of perfect retrievals of fast-graphrag's benchmark.
    """
    return evidence_measure("evidence_complete", k, complete, binary=True)
