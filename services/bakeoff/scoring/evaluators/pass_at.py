"""The chance that at least one of k samples is right, or that a share of them is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated

from bakeoff.domain.benchmark import Case, Json
from bakeoff.domain.errors import InvalidInputError
from bakeoff.domain.score import Score
from bakeoff.runtime.registry import Is
from bakeoff.scoring.over_samples import Method, OverSamples, right_of
from bakeoff.scoring.registries import evaluators
from bakeoff.scoring.samples import g_pass_at_k, pass_at_k


@evaluators.register("pass_at", facts={"nested": ["of"], "samples": "k"})
def pass_at(
    *,
    of: Annotated[str, Is("the evaluator that says of each sample whether it is right, such as gsm8k(mode=flexible)")],
    k: Annotated[int, Is("samples that are drawn; the recipe must ask for as many, at least", minimum=1)] = 1,
    share: Annotated[
        float, Is("share of the k that must be right, at least one; 0 is pass@k, 1 that all are", minimum=0, maximum=1)
    ] = 0.0,
    metric: Annotated[str, Is("which of the evaluator's metrics, when it has several")] = "",
) -> OverSamples:
    """Measure the chance that of k samples, drawn without putting back, at least one is right. Unbiased.

    Scale: [0, 1], higher is better. A sample that cannot be read is wrong. Failed: there are fewer samples than k, or
    one could not be scored.
    Not applicable: as the evaluator of a sample.
    Source: Chen et al. 2021, arXiv:2107.03374, equation 1; with a share Liu et al. 2024, arXiv:2412.13147.
    """
    method = Method.of(of, metric)
    if not method.card.binary:
        raise InvalidInputError(f"pass@k needs a metric that says right or wrong; {method.card.name} does not")
    name = f"{method.card.name}_g-pass@{k}_{share:g}" if share else f"{method.card.name}_pass@{k}"
    source = f"chance that {f'{share:g} of' if share else 'one of'} {k} samples is right by {of}"

    def figure(case: Case, texts: Sequence[str], scores: Sequence[Score]) -> tuple[float | None, Json]:
        counts = {"samples": len(scores), "right": right_of(scores)}
        if len(scores) < k:
            raise InvalidInputError(
                f"case {case.case_id!r}: pass@{k} needs at least {k} samples, and the recipe asks for {len(scores)}"
            )
        value = g_pass_at_k(**counts, k=k, threshold=share) if share else pass_at_k(**counts, k=k)
        return value, {**counts}

    return OverSamples(replace(method.card, name=name, source=source, binary=False), method, figure)
