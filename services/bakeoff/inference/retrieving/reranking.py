"""Putting passages in a model's order, and what a reranker of inference is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from bakeoff.domain.answer import Failure, Passage
from bakeoff.domain.component import ComponentSpec
from bakeoff.domain.prompt import Completion
from bakeoff.domain.retrieval_steps import FALLBACK
from bakeoff.inference.core import Retrieved
from bakeoff.inference.retrieving.fusing import by_rank, cut
from bakeoff.inference.retrieving.searching import AskModel, EngineModel, Question, Search
from bakeoff.inference.retrieving.totals import Steps

ENGINE = "rerank"
"""The engine's name: one for all rerankers, wherever they run."""


@dataclass(slots=True)
class Order:
    """The passages of one question, while they are put in order."""

    question: Question
    passages: Sequence[Passage]
    """With their texts, as they were found."""
    places: list[int]
    """Indexes of the passages, best first, as far as is known."""
    replies: list[list[Completion | Failure]] = field(default_factory=list)
    """What the model replied; those that came at the same time are one list."""
    counts: dict[str, int] = field(default_factory=dict)
    """What was wrong with replies that could be read, such as invented passages."""
    failure: Failure | None = None

    def count(self, name: str, number: int) -> None:
        """Count what was wrong."""
        if number:
            self.counts[name] = self.counts.get(name, 0) + number


class ModelReranker(Protocol):
    """Puts passages in a model's order. Deterministic but for its model; thread-safe."""

    @property
    def model(self) -> EngineModel:
        """The model that it asks."""

    @property
    def fall_back(self) -> bool:
        """Whether passages that could not be put in order stay in the order of the search, and are counted."""

    @property
    def facts(self) -> dict[str, object]:
        """What is to be known of it with every case."""

    def arrange(self, orders: Sequence[Order], ask: AskModel) -> None:
        """Put the passages of each question in order, or say why that failed; all questions at the same time."""


@dataclass(frozen=True, slots=True)
class Rerank:
    """An engine that puts what another one finds in a model's order."""

    first: ComponentSpec
    reranker: ModelReranker
    depth: int = 50
    """Passages that are put in order; those behind them stay as they are."""

    @property
    def model(self) -> EngineModel:
        """The reranker's."""
        return self.reranker.model

    def retrieve(
        self, questions: Sequence[Question], search: Search, ask: AskModel, *, top_k: int, text_ranks: int
    ) -> list[Retrieved]:
        """Return what the first engine finds, in the reranker's order; scores are 1 / rank."""
        found = search(questions, top_k=max(top_k, self.depth), text_ranks=max(text_ranks, self.depth))
        orders = {
            number: Order(question, each.passages[: self.depth], list(range(min(self.depth, len(each.passages)))))
            for number, (question, each) in enumerate(zip(questions, found, strict=True))
            if each.failure is None
        }
        # A single passage is in order, and nobody needs to be asked.
        self.reranker.arrange([order for order in orders.values() if len(order.places) > 1], ask)
        return [self._ended(each, orders.get(number), top_k, text_ranks) for number, each in enumerate(found)]

    def _ended(self, found: Retrieved, order: Order | None, top_k: int, text_ranks: int) -> Retrieved:
        steps = Steps()
        steps.searched([found])
        if order is None:
            facts = steps.facts(ENGINE, self.reranker.facts)
            return replace(found, facts=facts)
        for replies in order.replies:
            steps.asked(replies)
        told: dict[str, object] = {**self.reranker.facts, **order.counts, "reranked": len(order.passages)}
        places = order.places
        if order.failure and self.reranker.fall_back:
            told[FALLBACK] = {"kind": order.failure.kind.value, "reason": order.failure.reason}
            places = list(range(len(order.passages)))
        elif order.failure is None:
            # Where each passage was found, from 1: what the order was made of.
            told["from_ranks"] = [place + 1 for place in places]
        facts = steps.facts(ENGINE, told)
        ended = Retrieved((), None, steps.retrieve_ms, facts, steps.usage, steps.embedding)
        if order.failure and not self.reranker.fall_back:
            return replace(ended, failure=order.failure)
        arranged = by_rank([*(order.passages[place] for place in places), *found.passages[len(places) :]])
        return replace(ended, passages=cut(arranged, top_k=top_k, text_ranks=text_ranks))
