"""Searching by questions that a model has rewritten."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from bakeoff.domain.answer import Failure
from bakeoff.domain.benchmark import Json
from bakeoff.domain.component import ComponentSpec
from bakeoff.domain.prompt import Completion
from bakeoff.domain.retrieval_steps import FALLBACK
from bakeoff.inference.core import Retrieved
from bakeoff.inference.retrieving.fusing import Merge, merged, ranks_with_texts
from bakeoff.inference.retrieving.prompt_texts import PromptText
from bakeoff.inference.retrieving.replies import (
    UnreadableReplyError,
    object_of,
    texts_of,
    unanswered,
    unreadable,
)
from bakeoff.inference.retrieving.searching import Asked, AskModel, EngineModel, Question, Search
from bakeoff.inference.retrieving.totals import Steps

STEP = "rewriting the question"
QUERIES = "queries"


@dataclass(frozen=True, slots=True)
class Rewritten:
    """What a model made of a question."""

    queries: tuple[str, ...]
    """Each once; at most as many as were asked for."""
    dropped: int = 0
    """Further ones that nobody asked for."""


@dataclass(frozen=True, slots=True)
class Rewrite:
    """An engine that has a model rewrite the question."""

    first: ComponentSpec
    model: EngineModel
    prompt: PromptText
    n: int = 1
    original: bool = False
    """Whether the question itself is asked, too."""
    k: int = 60
    depth: int = 100
    fall_back: bool = False
    """Whether a question that could not be rewritten is asked as it is, and counted; otherwise its case fails."""

    def retrieve(
        self, questions: Sequence[Question], search: Search, ask: AskModel, *, top_k: int, text_ranks: int
    ) -> list[Retrieved]:
        """Return what the rewritten questions find, fused by reciprocal ranks where there are several."""
        outcomes = ask([self._asked(question) for question in questions], schema(self.n))
        plans = [self._plan(question, outcome) for question, outcome in zip(questions, outcomes, strict=True)]
        lists = self.n + self.original
        depth = max(top_k, self.depth) if lists > 1 else top_k
        # All searches of all cases at once; each case takes its own back.
        asked = [
            Question(each.case_id, query) for each, plan in zip(questions, plans, strict=True) for query in plan.queries
        ]
        texts = ranks_with_texts(Merge.RRF, lists, k=self.k, text_ranks=text_ranks, depth=depth)
        found = iter(search(asked, top_k=depth, text_ranks=texts) if asked else [])
        return [
            self._ended(plan, outcome, [next(found) for _ in plan.queries], top_k, text_ranks)
            for plan, outcome in zip(plans, outcomes, strict=True)
        ]

    def _asked(self, question: Question) -> Asked:
        form = '{"queries": ["…"]}' if self.n == 1 else '{"queries": ["…", "…"]}'
        wanted = "one rewritten question" if self.n == 1 else f"{self.n} rewritten questions, each in other words"
        return Asked(question.case_id, "rewrite", self.prompt.filled(question=question.text, wanted=wanted, form=form))

    def _plan(self, question: Question, outcome: Completion | Failure) -> _Plan:
        told = rewritten(outcome, self.n)
        if isinstance(told, Failure):
            return _Plan((question.text,), failure=told) if self.fall_back else _Plan((), failure=told)
        own = (question.text,) if self.original else ()
        return _Plan(tuple(dict.fromkeys((*own, *told.queries))), told.dropped)

    def _ended(
        self, plan: _Plan, outcome: Completion | Failure, found: list[Retrieved], top_k: int, text_ranks: int
    ) -> Retrieved:
        steps = Steps()
        steps.asked([outcome])
        steps.searched(found)
        facts: dict[str, object] = {"prompt": self.prompt.digest, QUERIES: list(plan.queries)}
        if plan.dropped:
            facts["dropped"] = plan.dropped
        if plan.failure and self.fall_back:
            facts[FALLBACK] = {"kind": plan.failure.kind.value, "reason": plan.failure.reason}
        told = steps.facts("rewrite", facts)
        ended = Retrieved((), None, steps.retrieve_ms, told, steps.usage, steps.embedding)
        failure = next((each.failure for each in found if each.failure), None)
        if failure or not found:
            return replace(ended, failure=failure or plan.failure)
        rankings = [each.passages for each in found]
        return replace(ended, passages=merged(rankings, Merge.RRF, k=self.k, top_k=top_k, text_ranks=text_ranks))


@dataclass(frozen=True, slots=True)
class _Plan:
    queries: tuple[str, ...]
    """What is searched for; empty when the case fails."""
    dropped: int = 0
    failure: Failure | None = None


def rewritten(outcome: Completion | Failure, n: int) -> Rewritten | Failure:
    """Return the questions of a reply, or why there are none.

    Args:
        outcome: What a model replied, or why it did not.
        n: Questions that are wanted, from 1.
    """
    if isinstance(outcome, Failure):
        return unanswered(STEP, outcome)
    try:
        queries = texts_of(object_of(outcome.text), QUERIES)
    except UnreadableReplyError as error:
        return unreadable(STEP, outcome, error)
    return Rewritten(tuple(queries[:n]), max(len(queries) - n, 0))


def schema(n: int) -> Json:
    """Return the JSON schema of a reply with so many questions."""
    queries = {"type": "array", "items": {"type": "string"}, "minItems": 1, "maxItems": n}
    return {"type": "object", "properties": {QUERIES: queries}, "required": [QUERIES], "additionalProperties": False}
