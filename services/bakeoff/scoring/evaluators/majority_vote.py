"""The score of the answer that most samples give."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Annotated, Literal

from bakeoff.domain.benchmark import Case, Json
from bakeoff.domain.score import Score
from bakeoff.runtime.registry import Is
from bakeoff.scoring.evaluators.gsm8k import last_number, value_of
from bakeoff.scoring.final_answer import final_answer
from bakeoff.scoring.over_samples import Method, OverSamples
from bakeoff.scoring.registries import evaluators
from bakeoff.scoring.rules import RULES
from bakeoff.scoring.samples import majority

By = Literal["statement", "number", "text"]


@evaluators.register("majority_vote", version="2", facts={"nested": ["of"]})
def majority_vote(
    *,
    of: Annotated[str, Is("the evaluator that scores the majority's answer, such as choice_accuracy")],
    by: Annotated[
        By, Is("what is voted on: the last explicit statement, or the last number; or the whole text, normalised")
    ] = "statement",
    metric: Annotated[str, Is("which of the evaluator's metrics, when it has several")] = "",
) -> OverSamples:
    """Measure the answer that most samples give; of several such, the one that was seen first.

    What is scored is the first sample that gives it. A sample without a statement votes with its whole text; one
    without a number has no vote. When none has, the first sample is scored.

    Scale: as the evaluator of a sample. Failed: the sample that is scored could not be, or could not be read.
    Not applicable: as the evaluator of a sample.
    Source: Wang et al. 2022, "Self-consistency", arXiv:2203.11171.
    """
    method = Method.of(of, metric)
    name = f"{method.card.name}_majority" if by == "statement" else f"{method.card.name}_majority_by_{by}"

    def figure(case: Case, texts: Sequence[str], scores: Sequence[Score]) -> tuple[float | None, Json]:
        (score,) = scores
        return score.value, {"taken": texts[0][:200]}

    def kept(samples: Sequence[str]) -> Sequence[str]:
        votes = [VOTES[by](sample) for sample in samples]
        taken = majority(votes)
        return [samples[0 if taken is None else votes.index(taken)]]

    card = replace(method.card, name=name, source=f"majority of samples by {by}, scored by {of}")
    return OverSamples(card, method, figure, kept)


def _stated(text: str) -> str:
    said = final_answer(text)
    return _plain(text if said is None else said)


def _number(text: str) -> str | None:
    found = last_number(text)
    value = value_of(found) if found else None
    return None if value is None else str(value.normalize())


def _plain(text: str) -> str:
    """Return a text in which case, articles, punctuation and spaces make no difference; itself when nothing is left."""
    return RULES["squad"].normalise(text) or text.strip()


VOTES: dict[str, Callable[[str], str | None]] = {"statement": _stated, "number": _number, "text": _plain}
