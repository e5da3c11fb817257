"""The reciprocal rank of the first evidence, whichever way it is told."""

from __future__ import annotations

from typing import Annotated

from bakeoff.runtime.registry import Is
from bakeoff.scoring.evidence_measures import EvidenceEvaluator, evidence_measure, reciprocal_rank
from bakeoff.scoring.registries import evaluators


@evaluators.register("evidence_reciprocal_rank")
def evidence_reciprocal_rank(
    *, k: Annotated[int, Is("first passages that count", minimum=1)] = 10
) -> EvidenceEvaluator:
    """Measure one over the rank of the first passage that is relevant evidence, as `evidence_mrr@k`.

    Scale: [0, 1], higher is better. 0 when none is among the first k.
    Not applicable: the case has no evidence that a passage can be compared with.
    Source: none; the matching rule is `fit` in `bakeoff.scoring.evidence`.
    """
    return evidence_measure("evidence_mrr", k, reciprocal_rank)
