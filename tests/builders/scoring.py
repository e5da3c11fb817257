"""Short ways to a score: one method, one case, one answer."""

from __future__ import annotations

from collections.abc import Sequence

from bakeoff.domain.answer import CaseAnswer
from bakeoff.domain.benchmark import Case, Expected
from bakeoff.domain.component import ComponentSpec
from bakeoff.domain.score import CaseScores, Outcome
from bakeoff.scoring.core import score_batch
from bakeoff.scoring.evaluator import ScoringContext
from bakeoff.scoring.methods import make_methods
from bakeoff.scoring.registries import evaluators


def a_choice_case(
    choices: Sequence[str] = ("London", "Paris", "Rome", "Bern"),
    value: object = 1,
    *,
    labels: Sequence[str] | None = None,
) -> Case:
    """Return a case with choices; `value` is the place of the right one, or a list of places."""
    metadata: dict[str, object] = {"choices": list(choices)}
    if labels is not None:
        metadata["choice_labels"] = list(labels)
    return Case("c1", "Which?", Expected(value=value), metadata=metadata)


def the_scores(method: str, case: Case, text: str | None = None, **metadata: object) -> CaseScores:
    """Return all that a method says of an answer to a case; `metadata` is the answer's."""
    planned = make_methods(evaluators.load(), [ComponentSpec.parse(method)])
    answer = CaseAnswer(case.case_id, text=text, metadata=metadata)
    (scores,) = score_batch(planned, [case], [answer], ScoringContext())
    return scores


def the_value(method: str, case: Case, text: str | None = None, **metadata: object) -> float | str:
    """Return the value of a method's first metric, or its outcome with the kind of its failure: `failed: parse`."""
    score = the_scores(method, case, text, **metadata).scores[0]
    if score.failure:
        return f"failed: {score.failure.kind.value}"
    return score.outcome.value if score.outcome is Outcome.NOT_APPLICABLE or score.value is None else score.value
