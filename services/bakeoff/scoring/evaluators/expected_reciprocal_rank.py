"""Expected reciprocal rank, for graded judgements."""

from __future__ import annotations

from typing import Annotated

from bakeoff.runtime.registry import Is
from bakeoff.scoring.ranking_measures import HIGHEST_GRADE, expected_reciprocal_rank
from bakeoff.scoring.registries import evaluators
from bakeoff.scoring.trec import TrecEvaluator, function_of


@evaluators.register("expected_reciprocal_rank")
def err(
    *,
    k: Annotated[int, Is("first ranks that count", minimum=1)] = 20,
    highest: Annotated[int, Is("highest grade of the judgements", minimum=1)] = HIGHEST_GRADE,
) -> TrecEvaluator:
    """Measure one over the rank at which a reader stops, in expectation, as `err@k`.

    A reader stops at a document of grade g with the chance (2^g - 1) / 2^highest. With another highest grade than 4,
    which gdeval.pl has, it is `err@k_of_<highest>`.

    Scale: [0, 1), higher is better.
    Not applicable: no document is judged.
    Source: Chapelle et al. 2009, as gdeval.pl.
    """
    name = f"err@{k}" if highest == HIGHEST_GRADE else f"err@{k}_of_{highest}"
    return function_of(
        name,
        lambda ranked: expected_reciprocal_rank(ranked.grades, k, highest),
        f"Chapelle et al. 2009, highest grade {highest}",
    )
