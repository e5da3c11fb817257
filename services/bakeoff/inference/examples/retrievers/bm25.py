"""The examples whose questions share most words with the case's."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import numpy as np

from bakeoff.domain.benchmark import Case
from bakeoff.domain.errors import Violation
from bakeoff.inference.examples.bm25_ranking import Bm25Ranking
from bakeoff.inference.examples.choosing import enough, first_allowed, withheld
from bakeoff.inference.examples.pool import ExamplePool
from bakeoff.inference.examples.prepared import PreparedPools
from bakeoff.inference.examples.retriever import Chosen, ExampleRetriever
from bakeoff.inference.registries import example_retrievers
from bakeoff.runtime.registry import Is


@example_retrievers.register("bm25")
def bm25(
    *,
    k: Annotated[int, Is("examples for each case", minimum=0)],
    leak_guard: Annotated[bool, Is("leaves out the case itself, by id and by content")] = True,
) -> ExampleRetriever:
    """Show each case the examples with the most similar questions by BM25, best first; ties go by id."""
    return Bm25(k, leak_guard)


class Bm25:
    """A retriever that ranks the pool by the words of the question."""

    def __init__(self, k: int, leak_guard: bool) -> None:
        """Index nothing yet."""
        self._k = k
        self._leak_guard = leak_guard
        self._prepared = PreparedPools(lambda pool: Bm25Ranking([case.query for case in pool.distinct]))

    @property
    def count(self) -> int:
        """Examples for each case."""
        return self._k

    def check(self, pool: Sequence[Case]) -> list[Violation]:
        """Return whether there are too few examples."""
        return enough(self._k, ExamplePool.of(pool).distinct)

    def choose(self, case: Case, pool: Sequence[Case], *, position: int | None = None) -> Chosen:
        """Return the best examples; where too few share a word, the first others by id follow."""
        known, ranking = self._prepared.of(pool)
        # Stable, and the pool is in the order of the ids: so ties go by id.
        order = np.argsort(-ranking.scores(case.query), kind="stable")
        ranked = (known.distinct[index] for index in order)
        forbidden = withheld(case, known, self._leak_guard)
        return first_allowed(self._k, ranked, forbidden, case=case, available=len(known.distinct))
