"""Searching in hops: what one search finds says what the next one looks for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from bakeoff.domain.answer import Failure, Passage
from bakeoff.domain.component import ComponentSpec
from bakeoff.domain.retrieval_steps import FALLBACK
from bakeoff.inference.core import Retrieved
from bakeoff.inference.retrieving.fusing import Merge, merged, ranks_with_texts
from bakeoff.inference.retrieving.searching import AskModel, EngineModel, Question, Search
from bakeoff.inference.retrieving.totals import Steps


@dataclass(slots=True)
class Trail:
    """A case on its way from hop to hop."""

    question: Question
    queries: list[str]
    """What was searched for: the question, and what was made of it, hop by hop."""
    rankings: list[Sequence[Passage]] = field(default_factory=list)
    """What each query found."""
    steps: Steps = field(default_factory=Steps)
    ended: str = ""
    """Why no further query is made: `enough`, `repeated`, `nothing_new` or `fallback`; empty while it goes on."""
    failure: Failure | None = None
    """Why the case has no passages."""
    fallback: Failure | None = None
    """Why it ends early, where it may; None when it did not have to."""

    @property
    def goes_on(self) -> bool:
        """Whether there may be a next hop."""
        return not self.ended and self.failure is None


@dataclass(frozen=True, slots=True)
class Next:
    """What comes next on a trail."""

    query: str | None = None
    """None when the trail ends."""
    ended: str = ""
    """Why it ends; empty when it goes on."""
    failure: Failure | None = None
    """Why nothing can be said."""


class Scout(Protocol):
    """Says what comes next. Deterministic but for its model; thread-safe."""

    @property
    def facts(self) -> dict[str, object]:
        """What is to be known of it with every case."""

    def next(self, trails: Sequence[Trail], ask: AskModel) -> list[Next]:
        """Return what comes next on each trail, in their order.

        Args:
            trails: Those that go on; each has found something, or nothing, for its last query.
            ask: Asks the engine's model.
        """


@dataclass(frozen=True, slots=True)
class Multihop:
    """An engine that searches again with what it has found."""

    name: str
    first: ComponentSpec
    model: EngineModel | None
    scout: Scout
    hops: int = 2
    """Searches of a case at most, from 1."""
    passages: int = 5
    """First passages of each hop that the scout sees."""
    merge: Merge = Merge.BEST_RANK
    k: int = 60
    fall_back: bool = False
    """Whether a trail whose next query could not be made ends with what it has, and is counted; else its case fails."""

    def retrieve(
        self, questions: Sequence[Question], search: Search, ask: AskModel, *, top_k: int, text_ranks: int
    ) -> list[Retrieved]:
        """Return what the searches of each question find together; all cases make each hop at the same time."""
        trails = [Trail(question, [question.text]) for question in questions]
        depth = max(top_k, self.passages)
        texts = ranks_with_texts(self.merge, self.hops, k=self.k, text_ranks=text_ranks, depth=depth)
        texts = max(texts, self.passages)
        open_ = trails
        for hop in range(1, self.hops + 1):
            if not open_:
                break
            self._search(open_, search, depth, texts)
            open_ = [trail for trail in open_ if trail.goes_on]
            if hop < self.hops and open_:
                for trail, following in zip(open_, self.scout.next(open_, ask), strict=True):
                    self._follow(trail, following)
                open_ = [trail for trail in open_ if trail.goes_on]
        return [self._ended(trail, top_k, text_ranks) for trail in trails]

    def _search(self, trails: Sequence[Trail], search: Search, top_k: int, texts: int) -> None:
        asked = [Question(trail.question.case_id, trail.queries[-1]) for trail in trails]
        for trail, found in zip(trails, search(asked, top_k=top_k, text_ranks=texts), strict=True):
            trail.steps.searched([found])
            trail.failure = found.failure
            trail.rankings.append(found.passages)

    def _follow(self, trail: Trail, following: Next) -> None:
        if following.failure and self.fall_back:
            trail.ended, trail.fallback = "fallback", following.failure
        elif following.failure:
            trail.failure = following.failure
        elif following.query is None:
            trail.ended = following.ended
        elif following.query.casefold() in {query.casefold() for query in trail.queries}:
            trail.ended = "repeated"
        else:
            trail.queries.append(following.query)

    def _ended(self, trail: Trail, top_k: int, text_ranks: int) -> Retrieved:
        facts: dict[str, object] = {**self.scout.facts, "queries": trail.queries}
        if trail.failure is None:
            facts["ended"] = trail.ended or "hops"
        if trail.fallback:
            facts[FALLBACK] = {"kind": trail.fallback.kind.value, "reason": trail.fallback.reason}
        passages: Sequence[Passage] = ()
        if trail.failure is None:
            passages = merged(trail.rankings, self.merge, k=self.k, top_k=top_k, text_ranks=text_ranks)
        told = trail.steps.facts(self.name, facts)
        steps = trail.steps
        return Retrieved(passages, trail.failure, steps.retrieve_ms, told, steps.usage, steps.embedding)
