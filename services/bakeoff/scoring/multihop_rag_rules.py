"""How MultiHop-RAG's own scripts compare passages with facts, and answers with gold answers."""

from __future__ import annotations

import re
from collections.abc import Sequence

CUT = 10
"""Passages that count."""
NEAR_CUT = 4
NULL_QUERY = "null_query"
"""Type of the questions that have no answer in the corpus."""
SAID = re.compile(r'The answer to the question is "(.*?)"')


def retrieval_scores(facts: Sequence[str], passages: Sequence[str]) -> tuple[float, float, float, float]:
    """Return hits@10, hits@4, MRR@10 and what the script calls MAP@10.

    Args:
        facts: Words of the evidence; not empty.
        passages: Texts, best first.

    Source: Tang & Yang 2024, "MultiHop-RAG", arXiv:2401.15391, retrieval_evaluate.py.
    """
    wanted = [_bare(fact) for fact in facts]
    found: list[str] = []
    first: int | None = None
    total = 0.0
    for rank, passage in enumerate(map(_bare, passages[:CUT]), start=1):
        if not any(fact in passage for fact in wanted):
            continue
        first = first or rank
        new = []
        for fact in wanted:  # the same fact twice counts once
            if fact in passage and fact not in found:
                new.append(fact)
                found.append(fact)
        total += len(new) / rank
    return (
        float(first is not None),
        float(first is not None and first <= NEAR_CUT),
        1 / first if first else 0.0,
        total / min(len(wanted), CUT),
    )


def _bare(text: str) -> str:
    return text.replace(" ", "").replace("\n", "")


def shares_a_word(answer: str, gold: str) -> bool:
    """Return whether an answer and a gold answer have a word between white space in common, whatever their case.

    An answer that says `The answer to the question is "…"` is what stands in the quotes.

    Source: Tang & Yang 2024, "MultiHop-RAG", arXiv:2401.15391, qa_evaluate.py.
    """
    said = SAID.search(answer)
    return bool(set((said[1] if said else answer).lower().split()) & set(gold.lower().split()))
