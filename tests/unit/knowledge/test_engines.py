"""Query engines over indexes that are written down."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import pytest

from bakeoff.domain.component import ComponentSpec
from bakeoff.domain.errors import InvalidInputError
from bakeoff.knowledge.fusing import fuse_ranks, fuse_scores
from bakeoff.knowledge.indexing import Hits
from bakeoff.knowledge.registries import engines


@dataclass
class Listed:
    """An index that finds what is listed, and remembers how many were asked for."""

    found: Sequence[int]
    asked: list[int] = field(default_factory=list)

    def search(self, queries: Sequence[str], top_k: int) -> list[Hits]:
        self.asked.append(top_k)
        chunks = np.array(self.found[:top_k], np.int64)
        return [Hits(chunks, np.linspace(9, 1, len(chunks))) for _ in queries]


@dataclass
class Some:
    indexes: Mapping[str, Listed]

    def index(self, name: str) -> Listed:
        if name not in self.indexes:
            raise InvalidInputError(f"no index {name!r}")
        return self.indexes[name]

    def texts(self, chunks: Sequence[int]) -> list[str]:
        return [f"text {chunk}" for chunk in chunks]


def test_reciprocal_ranks_are_summed_and_ties_are_in_the_order_of_the_chunks() -> None:
    hits = fuse_ranks([np.array([7, 3, 5]), np.array([3, 9])], k=60, top_k=10)

    assert hits.chunks.tolist() == [3, 7, 9, 5]
    assert hits.scores.tolist() == [1 / 62 + 1 / 61, 1 / 61, 1 / 62, 1 / 63]
    swapped = fuse_ranks([np.array([8, 2]), np.array([2, 8])], k=60, top_k=2)
    assert swapped.chunks.tolist() == [2, 8]


def test_nothing_fused_is_nothing() -> None:
    assert fuse_ranks([np.array([], np.int64), np.array([], np.int64)], k=60, top_k=3).chunks.tolist() == []


def test_weighted_scores_are_brought_to_one_scale_and_summed() -> None:
    words = Hits(np.array([7, 3, 5]), np.array([12.0, 9.0, 2.0]))
    vectors = Hits(np.array([3, 9]), np.array([0.9, 0.4]))

    hits = fuse_scores([words, vectors], [0.25, 0.75], top_k=10)

    # Words: 1, 0.7, 0; vectors: 1, 0. Equal ones are in the order of the chunks.
    assert hits.chunks.tolist() == [3, 7, 5, 9]
    assert hits.scores.tolist() == pytest.approx([0.25 * 0.7 + 0.75, 0.25, 0.0, 0.0])


def test_equal_scores_all_count_as_the_best_and_no_hits_as_nothing() -> None:
    equal, none = Hits(np.array([4, 2]), np.array([3.0, 3.0])), Hits(np.zeros(0, np.int64), np.zeros(0))

    assert fuse_scores([equal, none], [0.5, 0.5], top_k=1).chunks.tolist() == [2]
    assert fuse_scores([equal, none], [0.5, 0.5], top_k=9).scores.tolist() == [0.5, 0.5]
    assert fuse_scores([none, none], [0.5, 0.5], top_k=9).chunks.tolist() == []


@pytest.mark.parametrize(("weight", "first"), [(0.0, 0), (1.0, 500)])
def test_the_weight_is_that_of_the_vectors(weight: float, first: int) -> None:
    some = Some({"bm25": Listed(range(100)), "dense": Listed(range(500, 600))})
    engine = engines.load().make(ComponentSpec("hybrid_search", {"fusion": "weighted", "weight": weight}))

    [hits] = engine.search(some, ["q"], 3)

    assert hits.chunks[0] == first


@pytest.mark.parametrize(("top_k", "depth"), [(5, 100), (500, 500)])
def test_hybrid_search_takes_as_many_as_its_depth_or_as_are_asked_for(top_k: int, depth: int) -> None:
    some = Some({"bm25": Listed(range(1000)), "dense": Listed(range(500, 1500))})

    [hits] = engines.load().make(ComponentSpec("hybrid_search")).search(some, ["q"], top_k)

    assert some.indexes["bm25"].asked == some.indexes["dense"].asked == [depth]
    assert len(hits.chunks) == top_k


def test_single_engines_give_what_their_index_finds() -> None:
    some = Some({"bm25": Listed([4, 2]), "dense": Listed([1, 3])})

    [words] = engines.load().make(ComponentSpec("full_text_search")).search(some, ["q"], 1)
    [vectors] = engines.load().make(ComponentSpec("vector_search")).search(some, ["q"], 2)

    assert words.chunks.tolist() == [4]
    assert vectors.chunks.tolist() == [1, 3]


@pytest.mark.parametrize("name", ["full_text_search", "vector_search", "hybrid_search"])
def test_the_card_lists_the_indexes_that_the_engine_asks(name: str) -> None:
    needed = engines.load().card(name).facts["needs_indexes"]
    some = Some({index: Listed([1]) for index in needed})  # type: ignore[attr-defined]  # JSON

    assert engines.make(ComponentSpec(name)).search(some, ["q"], 1)
    for left_out in needed:  # type: ignore[attr-defined]
        fewer = Some({index: found for index, found in some.indexes.items() if index != left_out})
        with pytest.raises(InvalidInputError, match=left_out):
            engines.make(ComponentSpec(name)).search(fewer, ["q"], 1)
