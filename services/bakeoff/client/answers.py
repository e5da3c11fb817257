"""Answers and scores outside of an evaluation."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Iterator, Sequence

from bakeoff.client import answer_calls as calls
from bakeoff.client.connection import BUILD_S, AsyncConnection, Connection
from bakeoff.domain.answer import CaseAnswer
from bakeoff.domain.benchmark import Case
from bakeoff.domain.component import ComponentSpec
from bakeoff.domain.recipe import AnswerPart, QueryMode
from bakeoff.domain.score import CaseScores


class Answers(Connection):
    """Answers and scores, waited for."""

    def answer(
        self, kb_id: str, mode: QueryMode, query: str, answer: AnswerPart | None = None, seed: int = 0
    ) -> CaseAnswer:
        """Answer one question from a knowledge base.

        Args:
            kb_id: The knowledge base.
            mode: How it is asked.
            query: The question.
            answer: How the answer is made; None gives passages alone.
            seed: With the question, the source of everything random.

        Raises:
            NotFoundError: there is no such knowledge base or generator.
            InvalidInputError: the question is empty, or a setting is wrong.
        """
        return self._call(calls.answer(kb_id, mode, answer, query, seed), BUILD_S)

    def answer_rows(self, answer: AnswerPart, rows: Iterable[Case], seed: int = 0) -> Iterator[CaseAnswer]:
        """Have rows answered from what they bring, and yield the answers as they come, in any order.

        Args:
            answer: How answers are made.
            rows: Are asked for as there is room; their `eval_type`, `contexts` and `choices` are among their metadata.
            seed: With the case id, the source of everything random.

        Raises:
            NotFoundError: there is no such generator.
            InvalidInputError: the template cannot be read, a setting is wrong, or a key is missing.
        """
        return self._stream(calls.answer_rows(answer, rows, seed))

    def score(
        self, evaluators: Sequence[str | ComponentSpec], answered: Iterable[tuple[Case, CaseAnswer]], seed: int = 0
    ) -> list[CaseScores]:
        """Score answers to cases, at most 1,000; the scores come in their order.

        Args:
            evaluators: Methods, such as `token_f1(normaliser="squad")`.
            answered: Cases with what was said to them.
            seed: With the case id, the source of everything random.

        Raises:
            NotFoundError: there is no such method.
            InvalidInputError: a setting is wrong, or there are too many cases.
        """
        return self._call(calls.score(evaluators, answered, seed), BUILD_S)


class AsyncAnswers(AsyncConnection):
    """Answers and scores, awaited: each method does what its namesake of `Client` does, and raises the same."""

    async def answer(
        self, kb_id: str, mode: QueryMode, query: str, answer: AnswerPart | None = None, seed: int = 0
    ) -> CaseAnswer:
        """Answer one question from a knowledge base."""
        return await self._call(calls.answer(kb_id, mode, answer, query, seed), BUILD_S)

    def answer_rows(self, answer: AnswerPart, rows: Iterable[Case], seed: int = 0) -> AsyncIterator[CaseAnswer]:
        """Have rows answered from what they bring, and yield the answers as they come, in any order."""
        return self._stream(calls.answer_rows(answer, rows, seed))

    async def score(
        self, evaluators: Sequence[str | ComponentSpec], answered: Iterable[tuple[Case, CaseAnswer]], seed: int = 0
    ) -> list[CaseScores]:
        """Score answers to cases, at most 1,000; the scores come in their order."""
        return await self._call(calls.score(evaluators, answered, seed), BUILD_S)
