"""The mean score of all samples of an answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated

from bakeoff.domain.benchmark import Case, Json
from bakeoff.domain.score import Score
from bakeoff.runtime.registry import Is
from bakeoff.scoring.over_samples import Method, OverSamples
from bakeoff.scoring.registries import evaluators
from bakeoff.scoring.samples import mean_over_samples


@evaluators.register("mean_of_samples", facts={"nested": ["of"]})
def mean_of_samples(
    *,
    of: Annotated[str, Is("the evaluator that scores each sample, such as token_f1")],
    metric: Annotated[str, Is("which of the evaluator's metrics, when it has several")] = "",
) -> OverSamples:
    """Measure the mean score over all samples of an answer: avg@n, an estimate of pass@1 where they are right or wrong.

    Scale: as the evaluator of a sample. A sample that cannot be read counts as 0. Failed: one could not be scored.
    Not applicable: as the evaluator of a sample.
    Source: none; as avg@n of LightEval and OpenCompass.
    """
    method = Method.of(of, metric)

    def figure(case: Case, texts: Sequence[str], scores: Sequence[Score]) -> tuple[float | None, Json]:
        values = [score.value for score in scores]
        return mean_over_samples(values), {"samples": values}

    name, source = f"{method.card.name}_mean_of_samples", f"mean over samples by {of}"
    return OverSamples(replace(method.card, name=name, source=source, binary=False), method, figure)
