"""A rough list from elsewhere becomes the exact one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import pytest
from numpy.typing import NDArray

from bakeoff.knowledge.embedding import normalise
from bakeoff.knowledge.indexes.dense import DenseIndex
from bakeoff.knowledge.nearest import SPARE, Candidates, RemoteVectors, digest_of_vectors
from bakeoff.knowledge.recall import measured_recall


def vectors(count: int, seed: int = 1) -> NDArray[np.float32]:
    return normalise(np.random.default_rng(seed).standard_normal((count, 32)).astype(np.float32))


@dataclass
class Rows:
    """An embedder whose texts are numbers of rows."""

    rows: NDArray[np.float32]
    dimension: int = 32

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return self.rows[[int(text) for text in texts]]


@dataclass
class Elsewhere:
    """A server whose products err a little, and which gives what it found in an order of its own."""

    rows: NDArray[np.float32]
    counts: list[int] = field(default_factory=list)

    def __call__(self, queries: NDArray[np.float32], count: int) -> list[Candidates]:
        self.counts.append(count)
        noise = np.random.default_rng(len(self.rows)).uniform(-4e-6, 4e-6, (len(queries), len(self.rows)))
        rough = queries @ self.rows.T + noise
        found = [np.random.default_rng(5).permutation(np.argsort(-scores)[:count]) for scores in rough]
        return [Candidates(chunks, self.rows[chunks]) for chunks in found]


def test_hits_and_scores_are_those_of_all_vectors_in_double_precision() -> None:
    chunks, queries = vectors(500), vectors(9, seed=2)
    chunks[100:200] = chunks[3]
    queries[1], queries[2] = 0, chunks[3]
    elsewhere = Elsewhere(chunks)
    remote = RemoteVectors(500, 32, elsewhere, True, Rows(queries))
    asked = [str(number) for number in range(9)]

    found, expected = remote.search(asked, 10), DenseIndex(chunks, Rows(queries)).search(asked, 10)

    assert [hits.chunks.tolist() for hits in found] == [hits.chunks.tolist() for hits in expected]
    assert [hits.scores.tolist() for hits in found] == [hits.scores.tolist() for hits in expected]
    assert found[2].chunks.tolist() == [3, *range(100, 109)]
    # A hundred that tie are more than were fetched, so that more were fetched for that query.
    assert elsewhere.counts == [10 + SPARE, 4 * (10 + SPARE)]


def test_an_approximate_search_is_not_asked_again() -> None:
    chunks = np.repeat(vectors(1), 300, axis=0)
    elsewhere = Elsewhere(chunks)
    [hits] = RemoteVectors(300, 32, elsewhere, False, Rows(chunks)).search(["0"], 10)

    assert elsewhere.counts == [10 + SPARE]
    assert hits.chunks.tolist() == sorted(hits.chunks.tolist())


def test_the_digest_tells_vectors_and_what_else_decides() -> None:
    one = vectors(5)
    other = one.copy()
    other[4, 31] = np.nextafter(other[4, 31], np.float32(2))

    assert (
        len({digest_of_vectors(one), digest_of_vectors(other), digest_of_vectors(one, 7), digest_of_vectors(one[:4])})
        == 4
    )
    assert digest_of_vectors(one) == digest_of_vectors(one.copy())


@pytest.mark.parametrize(("kept", "recall"), [(1.0, 1.0), (0.5, 0.5), (0.0, 0.0)])
def test_recall_is_the_share_of_the_nearest_that_is_found(kept: float, recall: float) -> None:
    rows = vectors(400)

    looks = []

    def half_blind(queries: NDArray[np.float32], count: int) -> list[Candidates]:
        looks.append(count)
        nearest = np.argsort(-(queries @ rows.T), axis=1)[:, :count]
        seen = [each[: 1 + round(kept * 10)] for each in nearest]  # itself first, then of ten others these
        return [Candidates(chunks, rows[chunks]) for chunks in seen]

    assert measured_recall(half_blind, rows) == pytest.approx(recall)
    assert looks == [11]


def test_of_equal_vectors_any_will_do_for_recall() -> None:
    rows = np.repeat(vectors(2), 50, axis=0)

    def from_the_end(queries: NDArray[np.float32], count: int) -> list[Candidates]:
        order = [len(rows) - 1 - np.argsort(-(rows[::-1] @ query), kind="stable")[:count] for query in queries]
        return [Candidates(chunks, rows[chunks]) for chunks in order]

    assert measured_recall(from_the_end, rows) == 1.0
