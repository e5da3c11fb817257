"""The evaluation type key2_q_ma: several short gold answers, any of them right."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal

from bakeoff.domain.benchmark import Case
from bakeoff.runtime.registry import Is
from bakeoff.scoring.official_answers import split_targets
from bakeoff.scoring.registries import evaluators
from bakeoff.scoring.short_answer_evaluator import ShortAnswers, short_answers


@evaluators.register("key2_q_ma", version="2")
def key2_q_ma(
    *,
    mode: Annotated[
        Literal["official", "strict"], Is("letters contained either way, or words, numbers and mathematics")
    ] = "strict",
) -> ShortAnswers:
    """Measure whether the answer gives any of the gold answers; each as in key2_qa.

    Officially a single gold text is split at `||`, `|` or `;`, the first that occurs; strictly it never is.

    Scale: {0, 1}, higher is better; a mean is the share of right answers.
    Not applicable: the recipe makes no answers, or the case has no gold answer.
    Source: OpenDCAI/DataFlow, UnifiedBenchDatasetEvaluator, key2_q_ma; the strict mode is Bakeoff's own.
    """
    return short_answers("key2_q_ma", mode, _official_targets if mode == "official" else _targets)


def _targets(case: Case) -> tuple[str, ...]:
    return case.expected.answers


def _official_targets(case: Case) -> Sequence[str]:
    # An adapter that split the targets by its own rule keeps what was written beside them.
    written = case.expected.metadata.get("targets")
    answers = case.expected.answers
    if isinstance(written, str):
        return split_targets(written)
    return split_targets(answers[0]) if len(answers) == 1 else answers
