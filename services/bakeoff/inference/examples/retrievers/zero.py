"""No examples."""

from __future__ import annotations

from collections.abc import Sequence

from bakeoff.domain.benchmark import Case
from bakeoff.domain.errors import Violation
from bakeoff.inference.examples.retriever import Chosen, ExampleRetriever
from bakeoff.inference.registries import example_retrievers


@example_retrievers.register("zero")
def zero() -> ExampleRetriever:
    """Show no examples; those that are written into the template stay."""
    return Zero()


class Zero:
    """A retriever that chooses nothing."""

    @property
    def count(self) -> int:
        """Examples for each case."""
        return 0

    def check(self, pool: Sequence[Case]) -> list[Violation]:
        """Return nothing: no pool is needed."""
        return []

    def choose(self, case: Case, pool: Sequence[Case], *, position: int | None = None) -> Chosen:
        """Return no examples."""
        return Chosen()
