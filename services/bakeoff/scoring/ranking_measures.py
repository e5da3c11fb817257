"""Ranking measures that trec_eval does not have, over its order of documents."""

from __future__ import annotations

import struct
from collections import Counter
from collections.abc import Mapping, Sequence, Set
from itertools import groupby

HIGHEST_GRADE = 4
"""The highest grade that gdeval.pl knows, by which ERR is scaled unless another is stated."""


def rounded_scores(scores: Sequence[float]) -> tuple[float, ...]:
    """Return scores as 32-bit floats, as trec_eval compares them; beyond their range they are infinite."""
    try:
        return struct.unpack(f"{len(scores)}f", struct.pack(f"{len(scores)}f", *scores))
    except OverflowError:
        return tuple(_rounded(score) for score in scores)


def _rounded(score: float) -> float:
    try:
        return float(struct.unpack("f", struct.pack("f", score))[0])
    except OverflowError:
        return float("inf") if score > 0 else float("-inf")


def trec_order(documents: Mapping[str, float]) -> list[str]:
    """Return documents in trec_eval's order: by score as a 32-bit float, then by id in byte order, both descending."""
    rounded = rounded_scores(list(documents.values()))
    # The order of code points is the byte order of UTF-8.
    return [name for _, name in sorted(zip(rounded, documents, strict=True), reverse=True)]


def expected_reciprocal_rank(grades: Sequence[int], k: int, highest: int) -> float:
    """Return the expected reciprocal rank of a ranking.

    Args:
        grades: Relevance in ranked order; below 0, and not judged, is 0.
        k: First ranks that count.
        highest: The highest grade, from 1; a grade beyond it counts as it.

    Source: Chapelle et al. 2009, "Expected reciprocal rank for graded relevance"; stops with (2^grade - 1) / 2^highest,
        as gdeval.pl, which knows the highest grade 4.
    """
    value, goes_on = 0.0, 1.0
    for rank, grade in enumerate(grades[:k], start=1):
        stops = (2 ** min(max(grade, 0), highest) - 1) / 2**highest
        value += goes_on * stops / rank
        goes_on *= 1 - stops
    return value


def rank_biased_precision(relevant: Sequence[bool], p: float, k: int | None = None) -> float:
    """Return (1 - p) times the sum of p^(rank - 1) over relevant ranks.

    Args:
        relevant: In ranked order; what is not judged is not.
        p: Chance that a reader goes on to the next rank, in (0, 1).
        k: First ranks that count; None for all.

    Source: Moffat & Zobel 2008, "Rank-biased precision for measurement of retrieval effectiveness".
    """
    return (1 - p) * sum(p**place for place, found in enumerate(relevant[:k]) if found)


def judged_share(order: Sequence[str], judged: Mapping[str, int], k: int) -> float:
    """Return the share of the first k documents that are judged at all; of those found when they are fewer, 0 of none.

    Source: ir_measures, Judged@k.
    """
    first = order[:k]
    return sum(name in judged for name in first) / len(first) if first else 0.0


def tie_averaged_reciprocal_rank(documents: Mapping[str, float], relevant: Set[str]) -> float:
    """Return the reciprocal rank's mean over all orders of documents whose scores are equal, as 64-bit floats.

    Of n tied documents from rank r on, m of them relevant, the first relevant one is at rank r + j with the chance
    C(n - j - 1, m - 1) / C(n, m).

    Source: McSherry & Najork 2008, "Computing information retrieval performance measures efficiently in the presence
        of tied scores".
    """
    ordered = sorted(documents.items(), key=lambda each: -each[1])
    start = 0
    for _, group in groupby(ordered, key=lambda each: each[1]):
        names = [name for name, _ in group]
        hits = sum(name in relevant for name in names)
        if hits:
            return _expected_first(start, len(names), hits)
        start += len(names)
    return 0.0


def _expected_first(before: int, tied: int, relevant: int) -> float:
    value, none_yet = 0.0, 1.0
    for place in range(tied - relevant + 1):
        chance = relevant / (tied - place)
        value += none_yet * chance / (before + place + 1)
        none_yet *= 1 - chance
    return value


def tied_groups(documents: Mapping[str, float]) -> list[list[str]]:
    """Return the groups of documents that share their score, as 32-bit floats, with another."""
    rounded = rounded_scores(list(documents.values()))
    if len(set(rounded)) == len(rounded):
        return []
    shared = {score for score, count in Counter(rounded).items() if count > 1}
    groups: dict[float, list[str]] = {}
    for name, score in zip(documents, rounded, strict=True):
        if score in shared:
            groups.setdefault(score, []).append(name)
    return list(groups.values())
