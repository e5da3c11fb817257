"""What the steps of a case took together, so that retrieval is told apart from answering."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from bakeoff.domain.answer import Failure
from bakeoff.domain.prompt import Completion, Usage
from bakeoff.domain.retrieval_steps import FIRST
from bakeoff.inference.core import Retrieved
from bakeoff.inference.model_answers import usage_of


class Steps:
    """The searches and replies of one case, one after another."""

    def __init__(self) -> None:
        """Nothing has been done yet."""
        self._usages: list[Usage] = []
        self._embeddings: list[Usage] = []
        self._ms: list[float] = []
        self._inner: list[dict[str, object]] = []

    def asked(self, outcomes: Iterable[Completion | Failure]) -> None:
        """Add replies that came at the same time: the case waited for the slowest."""
        usages = [outcome.usage for outcome in outcomes if isinstance(outcome, Completion)]
        self._usages += usages
        waited = [usage.latency_ms for usage in usages if usage.latency_ms is not None]
        if waited:
            self._ms.append(max(waited))

    def searched(self, found: Sequence[Retrieved]) -> None:
        """Add searches."""
        self._usages += [each.usage for each in found if each.usage is not None]
        self._embeddings += [each.embedding for each in found if each.embedding is not None]
        self._ms += [each.retrieve_ms for each in found if each.retrieve_ms is not None]
        self._inner += [each.facts for each in found if each.facts]

    @property
    def usage(self) -> Usage | None:
        """What models took; None when none replied."""
        return usage_of(self._usages) if self._usages else None

    @property
    def embedding(self) -> Usage | None:
        """What an endpoint took to embed what was searched for; None when none embedded it."""
        return usage_of(self._embeddings) if self._embeddings else None

    @property
    def retrieve_ms(self) -> float | None:
        """Milliseconds of searches and replies; a reply that was stored counts as it did when it came."""
        return sum(self._ms) if self._ms else None

    def facts(self, engine: str, facts: dict[str, object]) -> dict[str, object]:
        """Return what is known of an engine's steps, with what is known of the engines below it."""
        inner = {FIRST: self._inner} if self._inner else {}
        return {"engine": engine, **facts, **inner}
