"""Several rankings of one knowledge base as one, by stated rules."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from enum import StrEnum

from bakeoff.domain.answer import Passage


class Merge(StrEnum):
    """How several rankings become one."""

    RRF = "rrf"
    """By the sum of 1 / (k + rank) over the rankings that hold a passage. Source: Cormack, Clarke & Büttcher 2009."""
    BEST_RANK = "best_rank"
    """By the best rank that a passage has in any ranking; of equals, that of the earlier ranking is first."""


def merged(
    rankings: Sequence[Sequence[Passage]], rule: Merge, *, k: int, top_k: int, text_ranks: int
) -> tuple[Passage, ...]:
    """Return the passages of several rankings as one.

    Equals stand in the order in which they are first met, ranking by ranking. Scores are the sums of `rrf`, else
    1 / rank in the merged ranking, so that a measure that orders by scores meets the same order.

    Args:
        rankings: Best first; with the texts of the ranks that `ranks_with_texts` says.
        rule: How they become one.
        k: Of `rrf`, from 0.
        top_k: Passages that are kept, from 1.
        text_ranks: First ranks that keep their texts.
    """
    if len(rankings) == 1:
        return cut(rankings[0], top_k=top_k, text_ranks=text_ranks)
    best: dict[str, Passage] = {}
    ranks: dict[str, list[int]] = {}
    for ranking in rankings:
        for passage in ranking:
            known = best.setdefault(passage.chunk_id, passage)
            if known.text is None and passage.text is not None:
                best[passage.chunk_id] = passage
            ranks.setdefault(passage.chunk_id, []).append(passage.rank)
    if rule is Merge.RRF:
        sums = {chunk: sum(1.0 / (k + rank) for rank in sorted(found)) for chunk, found in ranks.items()}
        order = sorted(best, key=lambda chunk: -sums[chunk])
        scores = [sums[chunk] for chunk in order]
    else:
        order = sorted(best, key=lambda chunk: min(ranks[chunk]))
        scores = [1.0 / rank for rank in range(1, len(order) + 1)]
    found = [replace(best[chunk], score=score) for chunk, score in zip(order, scores, strict=True)]
    return cut(found, top_k=top_k, text_ranks=text_ranks)


def ranks_with_texts(rule: Merge, rankings: int, *, k: int, text_ranks: int, depth: int) -> int:
    """Return the first ranks of each ranking that can come among the first `text_ranks` of the merged one.

    By `rrf` a passage whose best rank is r has at most rankings / (k + r), and the first R of any ranking have at least
    1 / (k + R): so r is at most rankings · (k + R) − k.

    Args:
        rule: How they become one.
        rankings: How many there are, from 1.
        k: Of `rrf`, from 0.
        text_ranks: R, from 0.
        depth: Ranks of each ranking.
    """
    if not text_ranks:
        return 0
    deepest = rankings * (k + text_ranks) - k if rule is Merge.RRF else text_ranks
    return min(max(deepest, text_ranks), depth)


def by_rank(passages: Sequence[Passage]) -> list[Passage]:
    """Return passages in this order, with 1 / rank as their scores."""
    return [replace(passage, score=1.0 / rank) for rank, passage in enumerate(passages, start=1)]


def cut(passages: Sequence[Passage], *, top_k: int, text_ranks: int) -> tuple[Passage, ...]:
    """Return the first passages with their ranks, and the texts of the first `text_ranks`."""
    return tuple(
        replace(passage, rank=rank, text=passage.text if rank <= text_ranks else None)
        for rank, passage in enumerate(passages[:top_k], start=1)
    )
