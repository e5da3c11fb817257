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
        return int(self.rows.shape[1])

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


def clustered(count: int) -> NDArray[np.float32]:
    """Vectors with neighbours, as texts have them."""
    random = np.random.default_rng(5)
    centres = random.standard_normal((40, 32))
    near = centres[random.integers(0, 40, count)] + 0.5 * random.standard_normal((count, 32))
    return normalise(near.astype(np.float32))


def test_many_vectors_are_found_by_a_graph_with_exact_scores_and_its_recall_is_measured() -> None:
    pytest.importorskip("faiss")
    chunks, queries = clustered(3000), clustered(40)
    kind = indexes.load().make(ComponentSpec("dense", {"approximate": "hnsw", "above": 1000, "effort": 64}))
    arrays = kind.build([""] * len(chunks), chunks)
    again = kind.build([""] * len(chunks), chunks)
    exact = search(chunks, queries, 10)

    found = kind.open(arrays, Drawn(queries)).search([str(number) for number in range(len(queries))], 10)

    [(name, recall)] = kind.measures(arrays).items()  # type: ignore[attr-defined]
    shares = [
        len(set(mine.chunks.tolist()) & set(true.chunks.tolist())) / 10 for mine, true in zip(found, exact, strict=True)
    ]
    assert name == "recall_at_10"
    assert 0.9 < recall <= 1
    assert float(np.mean(shares)) == pytest.approx(recall, abs=0.1)
    assert {key: value.tobytes() for key, value in arrays.items()} == {k: v.tobytes() for k, v in again.items()}
    for mine, true in zip(found, exact, strict=True):
        known = dict(zip(true.chunks.tolist(), true.scores.tolist(), strict=True))
        assert all(known.get(c, s) == s for c, s in zip(mine.chunks.tolist(), mine.scores.tolist(), strict=True))
        assert mine.scores.tolist() == sorted(mine.scores.tolist(), reverse=True)


def test_a_poor_graph_is_measured_as_poor() -> None:
    pytest.importorskip("faiss")
    chunks = vectors(3000)
    settings = {"approximate": "hnsw", "above": 10, "links": 2, "effort_building": 2, "effort": 1}
    kind = indexes.load().make(ComponentSpec("dense", settings))

    assert kind.measures(kind.build([""] * 3000, chunks))["recall_at_10"] < 0.7  # type: ignore[attr-defined]


def test_few_vectors_are_compared_one_by_one_whatever_is_said() -> None:
    pytest.importorskip("faiss")
    kind = indexes.load().make(ComponentSpec("dense", {"approximate": "hnsw", "above": 100}))
    arrays = kind.build([""] * 100, vectors(100))

    assert list(arrays) == ["vectors"]
    assert kind.measures(arrays) == {}  # type: ignore[attr-defined]


def test_a_graph_without_its_library_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bakeoff.knowledge.vector_graph.find_spec", lambda name: None)

    with pytest.raises(InvalidInputError, match=r"faiss-cpu, which is not installed: pip install 'bakeoff\[ann\]'"):
        indexes.load().make(ComponentSpec("dense", {"approximate": "hnsw"}))


def test_vectors_are_asked_for() -> None:
    with pytest.raises(InvalidInputError, match="needs vectors"):
        indexes.load().make(ComponentSpec("dense")).build(["a"], None)


@pytest.mark.parametrize("top_k", [1, 7, 100, 4999])
def test_of_many_chunks_with_many_ties_the_best_are_those_of_a_full_sort(top_k: int) -> None:
    chunks = vectors(900, 8)[np.random.default_rng(5).integers(0, 900, 5000)]
    queries = vectors(3, 8, seed=2)

    for query, hits in zip(queries, search(chunks, queries, top_k), strict=True):
        scores = np.round(chunks.astype(np.float64) @ query.astype(np.float64), dense.DECIMALS)
        assert hits.chunks.tolist() == np.argsort(-scores, kind="stable")[:top_k].tolist()
