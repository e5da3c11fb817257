"""Several rankings as one: by reciprocal ranks, by the best rank, and with the texts that are needed."""

from __future__ import annotations

import random

import pytest

from bakeoff.inference.retrieving.fusing import Merge, merged, ranks_with_texts
from tests.builders import a_passage


def ranking(*documents: str, texts: int = 0) -> list:  # type: ignore[type-arg]
    return [
        a_passage(name, rank=rank, text=f"text of {name}" if rank <= texts else None)
        for rank, name in enumerate(documents, start=1)
    ]


def fused(rule: Merge, *rankings: list, top_k: int = 10, text_ranks: int = 0, k: int = 60) -> list:  # type: ignore[type-arg]
    return list(merged(rankings, rule, k=k, top_k=top_k, text_ranks=text_ranks))


def test_reciprocal_rank_fusion_sums_one_over_k_plus_rank() -> None:
    found = fused(Merge.RRF, ranking("a", "b", "c"), ranking("b", "d"))
    assert [each.document_id for each in found] == ["b", "a", "d", "c"]
    assert [each.score for each in found] == [1 / 61 + 1 / 62, 1 / 61, 1 / 62, 1 / 63]
    assert [each.rank for each in found] == [1, 2, 3, 4]


def test_the_best_rank_in_any_ranking_decides_and_of_equals_the_earlier_ranking_is_first() -> None:
    found = fused(Merge.BEST_RANK, ranking("a", "b", "c"), ranking("d", "c"), top_k=4)
    assert [each.document_id for each in found] == ["a", "d", "b", "c"]
    # Strictly falling, so that a measure that orders by scores meets the same order.
    assert [each.score for each in found] == [1, 1 / 2, 1 / 3, 1 / 4]


def test_a_single_ranking_stays_as_it_is() -> None:
    assert fused(Merge.RRF, ranking("a", "b", "c"), top_k=2) == ranking("a", "b")


@pytest.mark.parametrize("rule", list(Merge))
def test_the_first_ranks_have_their_texts_whatever_was_found_where(rule: Merge) -> None:
    draw = random.Random(3)
    for _ in range(200):
        lists, k, text_ranks, depth = draw.randint(1, 4), draw.choice([0, 1, 60]), draw.randint(0, 5), 30
        texts = ranks_with_texts(rule, lists, k=k, text_ranks=text_ranks, depth=depth)
        rankings = [
            ranking(*draw.sample([f"d{number}" for number in range(40)], depth), texts=texts) for _ in range(lists)
        ]
        found = fused(rule, *rankings, k=k, text_ranks=text_ranks)
        assert [each.text is not None for each in found] == [each.rank <= text_ranks for each in found]


def test_no_more_texts_are_asked_for_than_can_come_to_the_front() -> None:
    # By hand, k = 0, two rankings, R = 3: the first three have at least 1/3; 2/r reaches that down to rank 6.
    assert ranks_with_texts(Merge.RRF, 2, k=0, text_ranks=3, depth=100) == 6
    assert ranks_with_texts(Merge.BEST_RANK, 2, k=0, text_ranks=3, depth=100) == 3
    assert ranks_with_texts(Merge.RRF, 4, k=60, text_ranks=10, depth=100) == 100
    assert ranks_with_texts(Merge.RRF, 4, k=60, text_ranks=0, depth=100) == 0
