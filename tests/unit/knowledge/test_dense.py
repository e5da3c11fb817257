"""The vector index: exact, and the same whatever the batch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pytest
from numpy.typing import NDArray

from bakeoff.domain.component import ComponentSpec
from bakeoff.domain.errors import InvalidInputError
from bakeoff.knowledge.embedding import normalise
from bakeoff.knowledge.indexes import dense
from bakeoff.knowledge.indexing import Hits
from bakeoff.knowledge.registries import indexes


@dataclass(frozen=True)
class Drawn:
    """An embedder whose texts are numbers of rows."""

    rows: NDArray[np.float32]

    @property
    def dimension(self) -> int:
        return self.rows.shape[1]

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return self.rows[[int(text) for text in texts]]


def vectors(count: int, dimension: int = 64, seed: int = 1) -> NDArray[np.float32]:
    return normalise(np.random.default_rng(seed).standard_normal((count, dimension)).astype(np.float32))


def search(chunks: NDArray[np.float32], queries: NDArray[np.float32], top_k: int) -> list[Hits]:
    kind = indexes.load().make(ComponentSpec("dense"))
    opened = kind.open(kind.build([""] * len(chunks), chunks), Drawn(queries))
    return opened.search([str(number) for number in range(len(queries))], top_k)


def test_hits_are_those_of_all_cosines_in_double_precision() -> None:
    chunks, queries = vectors(500), vectors(70, seed=2)
    cosines = queries.astype(np.float64) @ chunks.astype(np.float64).T

    for hits, expected in zip(search(chunks, queries, 20), cosines, strict=True):
        assert hits.chunks.tolist() == np.argsort(-expected, kind="stable")[:20].tolist()
        assert hits.scores == pytest.approx(np.sort(expected)[::-1][:20], abs=1e-11)


def test_neither_the_batch_nor_the_blocks_change_a_score(monkeypatch: pytest.MonkeyPatch) -> None:
    chunks, queries = vectors(300, 256), vectors(65, 256, seed=3)
    together = search(chunks, queries, 50)
    monkeypatch.setattr(dense, "BLOCK_CHUNKS", 37)
    alone = [search(chunks, queries[number : number + 1], 50)[0] for number in range(len(queries))]

    assert [hits.scores.tolist() for hits in together] == [hits.scores.tolist() for hits in alone]
    assert [hits.chunks.tolist() for hits in together] == [hits.chunks.tolist() for hits in alone]


def test_equal_chunks_are_in_their_order_also_at_the_cut() -> None:
    chunks = np.repeat(vectors(3), 40, axis=0)

    [hits] = search(chunks, vectors(3)[1:2], 5)

    assert hits.chunks.tolist() == [40, 41, 42, 43, 44]
    assert hits.scores == pytest.approx([1.0] * 5, abs=1e-6)


def test_a_query_without_a_vector_finds_nothing_and_fewer_chunks_are_all_found() -> None:
    chunks = vectors(3)
    queries = np.stack([np.zeros(64, np.float32), chunks[2]])

    nothing, all_of_them = search(chunks, queries, 10)

    assert nothing.chunks.tolist() == []
    assert sorted(all_of_them.chunks.tolist()) == [0, 1, 2]
    assert all_of_them.chunks[0] == 2


def test_vectors_are_asked_for() -> None:
    with pytest.raises(InvalidInputError, match="needs vectors"):
        indexes.load().make(ComponentSpec("dense")).build(["a"], None)
