"""Index: BM25 over words, with all weights computed when it is built."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

import numpy as np
from numpy.typing import NDArray

from bakeoff.knowledge.bm25_weights import SHIFTED, VARIANTS, Weighting, stored_lengths
from bakeoff.knowledge.embedding import Embedder, Vectors
from bakeoff.knowledge.indexing import Arrays, Hits, Index, IndexKind, best
from bakeoff.knowledge.postings import TermCounts, count_terms, terms_at
from bakeoff.knowledge.registries import indexes
from bakeoff.knowledge.terms import ANALYSED, Analyser
from bakeoff.knowledge.workers import ALONE, Workers
from bakeoff.runtime.registry import Is

BLOCK_POSTINGS = 1 << 20
"""Postings that are weighted at once: numbers in double precision that need not all be in memory."""


@indexes.register("bm25", facts={"needs_vectors": False, "libraries": ["PyStemmer", "bm25s", "numpy", "pyarrow"]})
def bm25(
    *,
    k1: Annotated[float, Is("how slowly repetition of a term stops to count", minimum=0.0)] = 1.5,
    b: Annotated[float, Is("how much long chunks are marked down", minimum=0.0, maximum=1.0)] = 0.75,
    delta: Annotated[float, Is("what a single occurrence adds; only bm25l and bm25+", minimum=0.0)] = 0.5,
    method: Annotated[str, Is("variant of the formula", choices=VARIANTS)] = "lucene",
    language: Annotated[
        str, Is("language of stop words and stemmer; cjk is Chinese, Japanese and Korean", choices=ANALYSED)
    ] = "english",
    stopwords: Annotated[bool, Is("whether stop words are left out")] = True,
    stemming: Annotated[bool, Is("whether words are stemmed")] = True,
    analysis: Annotated[
        Literal["words", "lucene"],
        Is("what words are: runs of two or more letters and digits, or what Lucene's analyzer of the language finds"),
    ] = "words",
) -> IndexKind:
    """Find chunks by their words.

    With `analysis="lucene"` words and stems are those of Lucene's analyzer, and lengths of texts are rounded as Lucene
    stores them: with method lucene scores are Lucene's. For `cjk` words are always pairs of characters, as in Lucene's
    CJKAnalyzer.

    Scores are sums of single-precision weights in the order of the query's words, as in the library bm25s. A chunk
    without any of the query's words is no hit.

    Source: Lù 2024, "BM25S", arXiv:2407.03618; Kamphuis et al. 2020 for the variants.
    """
    analyser = Analyser(language, stopwords, stemming, analysis == "lucene")
    return Bm25Kind(analyser, Weighting(method, k1, b, delta))


@dataclass(frozen=True, slots=True)
class Bm25Kind:
    """BM25 with its settings."""

    analyser: Analyser
    weighting: Weighting

    def build(self, texts: Sequence[str], vectors: Vectors | None, workers: Workers = ALONE) -> Arrays:
        """Return the postings, sorted by term and chunk, with their weights."""
        counts = count_terms(texts, self.analyser, workers)
        idf = self.weighting.inverse_frequencies(np.diff(counts.pointers), len(texts))
        absent = self._absent(idf)
        return {
            "pointers": counts.pointers,
            "chunks": counts.text,
            "weights": self._weights(counts, idf, absent),
            "absent": absent,
            "chunk_count": np.array([len(texts)], np.int64),
            "vocabulary": np.frombuffer("\n".join(counts.terms).encode(), np.uint8),
        }

    def _weights(
        self, counts: TermCounts, idf: NDArray[np.float32], absent: NDArray[np.float32]
    ) -> NDArray[np.float32]:
        """Return the weight of each posting, beyond that of a text without its term."""
        weights = np.empty(len(counts.text), np.float32)
        mean = float(counts.lengths.mean())
        lengths = stored_lengths(counts.lengths) if self.analyser.lucene else counts.lengths
        for first in range(0, len(weights), BLOCK_POSTINGS):
            block = slice(first, first + BLOCK_POSTINGS)
            term = terms_at(counts.pointers, first, first + len(weights[block]))
            length = lengths[counts.text[block]].astype(np.float64)
            grown = self.weighting.saturation(counts.frequency[block].astype(np.float32), length, mean)
            weights[block] = idf[term] * grown - absent[term]
        return weights

    def _absent(self, idf: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return the weight of each term in a text of mean length without it; shape (terms,)."""
        if self.weighting.method not in SHIFTED:
            return np.zeros(len(idf), np.float32)
        return (idf * self.weighting.saturation(np.zeros(1, np.float32), np.ones(1), 1.0)).astype(np.float32)

    def open(self, arrays: Arrays, embedder: Embedder | None) -> Index:
        """Open the index: the vocabulary goes into memory, postings stay where they are."""
        terms = bytes(arrays["vocabulary"].data).decode().split("\n")
        return Bm25Index(self.analyser, {term: number for number, term in enumerate(terms) if term}, arrays)


class Bm25Index:
    """BM25, open."""

    def __init__(self, analyser: Analyser, vocabulary: dict[str, int], arrays: Arrays) -> None:
        """Take what was built.

        Args:
            analyser: The one of the build.
            vocabulary: Number of each term.
            arrays: The postings.
        """
        self._analyser = analyser
        self._vocabulary = vocabulary
        self._pointers = arrays["pointers"]
        self._chunks = np.asarray(arrays["chunks"], np.int32)
        self._weights = arrays["weights"]
        self._absent = arrays["absent"]
        self._chunk_count = int(arrays["chunk_count"][0])

    def search(self, queries: Sequence[str], top_k: int) -> list[Hits]:
        """Return the chunks with the highest sums of weights."""
        return [self._ask(terms, top_k) for terms in self._analyser.lookup(queries, self._vocabulary)]

    def _ask(self, terms: NDArray[np.int64], top_k: int) -> Hits:
        scores = np.zeros(self._chunk_count, np.float32)
        for start, stop in zip(self._pointers[terms].tolist(), self._pointers[terms + 1].tolist(), strict=True):
            np.add.at(scores, self._chunks[start:stop], self._weights[start:stop])
        found = np.flatnonzero(scores > 0)
        return best(found, scores[found] + self._absent[terms].sum(dtype=np.float32), top_k)
