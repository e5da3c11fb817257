"""What embedding the questions of a search took: an embedder at an endpoint tells, whoever began the search hears."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import replace
from itertools import accumulate

import numpy as np

from bakeoff.domain.prompt import Usage
from bakeoff.knowledge.embedding import TokenCounts

UsageByQuestion = dict[str, Usage]
"""By the question's text; those that no endpoint embeds are not there."""
_heard: ContextVar[UsageByQuestion | None] = ContextVar("question_usage", default=None)


@contextmanager
def questions_embedded() -> Iterator[UsageByQuestion]:
    """Collect what the questions take that this thread embeds within the block."""
    heard: UsageByQuestion = {}
    before = _heard.set(heard)
    try:
        yield heard
    finally:
        _heard.reset(before)


def tell_questions(
    questions: Sequence[str], tokens: TokenCounts, asked: Collection[str], cost: Callable[[float], float | None]
) -> None:
    """Tell what questions took, to whoever listens.

    Args:
        questions: Those that have a vector, each once.
        tokens: Of each, its share of its request's, whoever paid; NaN when not known.
        asked: Those for which the endpoint was asked now; the vectors of the others were kept.
        cost: What tokens cost; None when there is no price.
    """
    heard = _heard.get()
    if heard is None:
        return
    for question, whole, share in zip(questions, whole_shares(tokens), tokens.tolist(), strict=True):
        took = Usage(whole, 0, None, None if whole is None else cost(share), int(question in asked))
        before = heard.get(question)
        if before is None:
            heard[question] = took
        elif took.attempts:  # paid again, such as by a second index where no vectors are kept
            heard[question] = _together(before, took)


def of_each(questions: Sequence[str], heard: UsageByQuestion) -> list[Usage | None]:
    """Return what each question took; one that stands there again has the vector of the first."""
    first: set[str] = set()
    found: list[Usage | None] = []
    for question in questions:
        took = heard.get(question)
        found.append(replace(took, attempts=0) if took and question in first else took)
        first.add(question)
    return found


def whole_shares(tokens: TokenCounts) -> list[int | None]:
    """Return shares as whole numbers whose sum is that of the shares, rounded; None for what is not known."""
    known = np.isfinite(tokens)
    ends = [round(total) for total in accumulate(np.where(known, tokens, 0.0).tolist())]
    starts = [0, *ends]
    return [end - start if there else None for end, start, there in zip(ends, starts, known.tolist(), strict=False)]


def _together(first: Usage, second: Usage) -> Usage:
    both = first.tokens_in is not None and second.tokens_in is not None
    priced = first.cost is not None and second.cost is not None
    return Usage(
        (first.tokens_in or 0) + (second.tokens_in or 0) if both else None,
        0,
        None,
        (first.cost or 0.0) + (second.cost or 0.0) if priced else None,
        first.attempts + second.attempts,
    )
