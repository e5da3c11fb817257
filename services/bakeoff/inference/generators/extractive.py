"""The sentence of the passages that has most of the question's words; needs no model."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated

from bakeoff.domain.answer import Passage, Span
from bakeoff.inference.generator import Generated, Generator
from bakeoff.inference.registries import generators
from bakeoff.inference.sentences import sentences
from bakeoff.inference.terms import ENGLISH, LANGUAGES, terms
from bakeoff.runtime.registry import Is

SPACE = re.compile(r"\s+")
REMEMBERED = 2048
"""Passages whose sentences are kept; some 20 MB."""


@generators.register("extractive")
def extractive(
    *,
    language: Annotated[str, Is("stems and leaves out the stop words of this language", choices=LANGUAGES)] = ENGLISH,
    max_chars: Annotated[int, Is("longest answer in characters; a longer sentence is cut at a word", minimum=20)] = 500,
) -> Generator:
    """Answer with the sentence of the passages that shares most with the question.

    A sentence scores the share of the question's terms that it has, each term weighted by how few of the passages'
    sentences have it; in [0, 1]. Equal scores go to the better passage, then to the earlier sentence. A sentence that
    says nothing but the question's own words, such as a heading, is passed over while another shares any of them.

    The answer's metadata name its source: rank, document, chunk, and the characters of the document's parsed text.
    Without passages the answer is empty.
    """
    return Extractive(language, max_chars)


@dataclass(frozen=True, slots=True)
class _Sentence:
    passage: Passage
    span: Span
    """Where it stands in the passage."""
    text: str
    terms: frozenset[str]


@dataclass(frozen=True, slots=True)
class Extractive:
    """A generator that quotes."""

    language: str
    max_chars: int

    def generate(self, question: str, passages: Sequence[Passage], *, seed: int, case_id: str) -> Generated:
        """Answer a question; nothing about it is random."""
        found = [sentence for passage in passages for sentence in self._sentences(passage)]
        if not found:
            return Generated("", {"reason": "no passage with a text was retrieved"})
        weights = _weights(frozenset(terms(question, self.language)), found)

        def merit(sentence: _Sentence) -> tuple[bool, float]:
            score, says_something = _score(sentence, weights), not sentence.terms <= weights.keys()
            return says_something and score > 0, score

        # max keeps the first of equals, and they stand in the order of rank and position.
        best = max(found, key=merit)
        return Generated(self._quoted(best.text), {"source": _source(best, _score(best, weights))})

    def _sentences(self, passage: Passage) -> Iterator[_Sentence]:
        text = passage.text or ""
        for span, words in _read(text, self.language):
            yield _Sentence(passage, span, text[span.start : span.stop], words)

    def _quoted(self, sentence: str) -> str:
        line = SPACE.sub(" ", sentence)
        if len(line) <= self.max_chars:
            return line
        cut = line[: self.max_chars + 1].rpartition(" ")[0]
        return cut or line[: self.max_chars]


@lru_cache(REMEMBERED)
def _read(text: str, language: str) -> tuple[tuple[Span, frozenset[str]], ...]:
    """Return the sentences of a text and their terms; many questions retrieve the same passages."""
    return tuple((span, frozenset(terms(text[span.start : span.stop], language))) for span in sentences(text))


def _weights(wanted: frozenset[str], found: Sequence[_Sentence]) -> dict[str, float]:
    """Return the weight of each term, by term: the inverse document frequency of BM25 over the sentences.

    Source: Robertson & Zaragoza 2009, "The Probabilistic Relevance Framework", 3.1; one is added inside the logarithm
    so that it is positive.
    """
    holding = Counter(term for sentence in found for term in wanted & sentence.terms)
    return {term: math.log(1 + (len(found) - holding[term] + 0.5) / (holding[term] + 0.5)) for term in sorted(wanted)}


def _score(sentence: _Sentence, weights: Mapping[str, float]) -> float:
    # Summed in the order of the weights: that of a set differs between processes, and so would the last digit.
    total = sum(weights.values())
    return sum(weight for term, weight in weights.items() if term in sentence.terms) / total if total else 0.0


def _source(sentence: _Sentence, score: float) -> dict[str, object]:
    passage, start = sentence.passage, sentence.passage.chars.start
    return {
        "rank": passage.rank,
        "document_id": passage.document_id,
        "chunk_id": passage.chunk_id,
        "chars": [start + sentence.span.start, start + sentence.span.stop],
        "score": round(score, 6),
    }
