"""The word index, against the library bm25s and by hand."""

from __future__ import annotations

import math
from typing import Any

import bm25s
import numpy as np
import pytest
from Stemmer import Stemmer

from bakeoff.domain.component import ComponentSpec
from bakeoff.knowledge.bm25_weights import VARIANTS
from bakeoff.knowledge.indexing import Hits
from bakeoff.knowledge.registries import indexes

WORDS = ["harbour", "mole", "piers", "light", "green", "the", "of", "running", "runs", "x", "grün", "tide", "gauge"]


def search(texts: list[str], queries: list[str], top_k: int = 10, **settings: object) -> list[Hits]:
    kind = indexes.load().make(ComponentSpec("bm25", settings))
    return kind.open(kind.build(texts, None), None).search(queries, top_k)


def some_texts(count: int, seed: int) -> list[str]:
    random = np.random.default_rng(seed)
    return [" ".join(random.choice(WORDS, random.integers(0, 8))) for _ in range(count)]


def reference(texts: list[str], query: str, **settings: Any) -> np.ndarray:
    """The scores of all texts by bm25s itself."""
    stemmer = Stemmer("english")
    library = bm25s.BM25(**settings)
    library.index(bm25s.tokenize(texts, stopwords="en", stemmer=stemmer, show_progress=False), show_progress=False)
    [terms] = bm25s.tokenize([query], stopwords="en", stemmer=stemmer, return_ids=False, show_progress=False)
    known = [term for term in terms if term in library.vocab_dict]
    return library.get_scores(known) if known else np.zeros(len(texts), np.float32)


@pytest.mark.parametrize("method", VARIANTS)
@pytest.mark.parametrize(("k1", "b"), [(1.5, 0.75), (0.9, 0.4), (2.0, 0.0)])
def test_scores_are_those_of_bm25s_to_the_bit(method: str, k1: float, b: float) -> None:
    texts = some_texts(60, seed=1)
    for query in ["harbour light", "the green green mole", "runs zeppelin tide", "grün"]:
        expected = reference(texts, query, method=method, k1=k1, b=b)
        [hits] = search(texts, [query], top_k=len(texts), method=method, k1=k1, b=b)

        assert len(hits.chunks) > 0
        assert hits.scores.astype(np.float32).tolist() == expected[hits.chunks].tolist()


def test_the_lucene_formula_by_hand() -> None:
    [hits] = search(["mole mole pier", "light"], ["mole"], k1=1.5, b=0.75)

    # idf = ln(1 + (2 - 1 + 0.5) / (1 + 0.5)); the text has 3 of 2 terms on average and holds the word twice
    idf = math.log(2)
    expected = idf * 2 / (1.5 * (1 - 0.75 + 0.75 * 3 / 2) + 2)
    assert hits.chunks.tolist() == [0]
    assert hits.scores[0] == pytest.approx(expected, rel=1e-6)


def test_a_word_in_every_text_or_in_half_of_them_still_finds() -> None:
    [every, half] = search(["pier mole", "pier mole", "pier", "pier"], ["pier", "mole"])

    assert every.chunks.tolist() == [2, 3, 0, 1]
    assert half.chunks.tolist() == [0, 1]
    assert (every.scores > 0).all()
    assert (half.scores > 0).all()


def test_only_texts_with_a_word_of_the_query_are_hits() -> None:
    found = search(["pier", "mole", "pier light"], ["light", "zeppelin", "the", "?!"], top_k=10)

    assert [hits.chunks.tolist() for hits in found] == [[2], [], [], []]


def test_equal_scores_are_in_the_order_of_the_chunks_also_at_the_cut() -> None:
    [hits] = search(["mole light"] * 50 + ["mole mole"], ["mole"], top_k=5)

    assert hits.chunks.tolist() == [50, 0, 1, 2, 3]


def test_other_queries_of_the_batch_do_not_change_a_ranking() -> None:
    texts = some_texts(200, seed=2)
    queries = some_texts(20, seed=3)

    together = search(texts, queries, top_k=30)
    alone = [search(texts, [query], top_k=30)[0] for query in queries]

    assert [hits.chunks.tolist() for hits in together] == [hits.chunks.tolist() for hits in alone]
    assert [hits.scores.tolist() for hits in together] == [hits.scores.tolist() for hits in alone]


def test_texts_without_a_single_term_give_an_index_that_finds_nothing() -> None:
    [hits] = search(["the", "?"], ["mole"])

    assert hits.chunks.tolist() == []
