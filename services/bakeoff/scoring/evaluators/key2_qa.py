"""The evaluation type key2_qa: one short gold answer."""

from __future__ import annotations

from typing import Annotated, Literal

from bakeoff.runtime.registry import Is
from bakeoff.scoring.registries import evaluators
from bakeoff.scoring.short_answer_evaluator import ShortAnswers, short_answers


@evaluators.register("key2_qa", version="2")
def key2_qa(
    *,
    mode: Annotated[
        Literal["official", "strict"], Is("letters contained either way, or words, numbers and mathematics")
    ] = "strict",
) -> ShortAnswers:
    """Measure whether the answer gives the gold answer, as the unified bench evaluator says or as a reader would.

    Officially an answer is right when it stands in the gold answer or the gold answer in it, letter by letter, or when
    math-verify holds them equal; the official figure is the mean over the valid answers alone. Strictly it must give
    the gold answer's number, words or yes or no, or be mathematically equal. A blank answer failed to parse.

    Scale: {0, 1}, higher is better; a mean is the share of right answers.
    Not applicable: the recipe makes no answers, or the case has no gold answer.
    Source: OpenDCAI/DataFlow, UnifiedBenchDatasetEvaluator, key2_qa; the strict mode is Bakeoff's own.
    """
    return short_answers("key2_qa", mode, lambda case: case.expected.answers)
