"""ROUGE by the reference package rouge-score, with tokens of any script and sentences that are told apart."""

from __future__ import annotations

import re
import sys
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Protocol

from bakeoff.scoring.extras import library
from bakeoff.scoring.normalisation import CJK

SENTENCE_END = re.compile(r"(?<=[.!?…])[\"'”’)\]]*\s+|(?<=[。！？])|\n+")
SHORTEST_STEMMED = 4
"""Characters from which on a word is stemmed, as in rouge-score's own tokenizer."""


@dataclass(frozen=True, slots=True)
class Rouge:
    """One ROUGE value, all parts in [0, 1]."""

    precision: float
    """Share of the answer that the gold answer has."""
    recall: float
    """Share of the gold answer that the answer has."""
    f1: float


class Tokenizer(Protocol):
    """What rouge-score calls for the words of a text."""

    def tokenize(self, text: str) -> list[str]:
        """Return the words."""


def rouge_score(
    *,
    golds: Sequence[str],
    answer: str,
    variant: str = "rouge1",
    stemmer: bool = False,
    unicode: bool = False,
    split_sentences: bool = False,
) -> Rouge:
    """Return the ROUGE of an answer and the gold answer that fits best by F1.

    Everything goes by keyword: swapped texts would exchange precision and recall, with the same F1.

    Args:
        golds: Gold answers, at least one.
        answer: What was said.
        variant: `rouge1` to `rouge9`, `rougeL` or `rougeLsum`.
        stemmer: Whether words are cut to their stems (Porter).
        unicode: Whether words of any script count; rouge-score itself keeps a–z and 0–9 only.
        split_sentences: Whether sentences are put on lines of their own first, which `rougeLsum` takes for granted.

    Source: Lin 2004, "ROUGE"; rouge-score 0.1.2 (`score_multi`).
    """
    scorer = _scorer(variant, stemmer, unicode)
    if split_sentences:
        golds, answer = [one_sentence_a_line(gold) for gold in golds], one_sentence_a_line(answer)
    best = scorer.score_multi(list(golds), answer)[variant]
    return Rouge(float(best.precision), float(best.recall), float(best.fmeasure))


def one_sentence_a_line(text: str) -> str:
    """Return a text with every sentence on a line of its own, by the marks that end sentences in common scripts."""
    return "\n".join(piece.strip() for piece in SENTENCE_END.split(text) if piece.strip())


@cache
def _scorer(variant: str, stemmer: bool, unicode: bool) -> Any:  # rouge-score has no types
    tokenizer = UnicodeTokenizer(stemmer) if unicode else None
    return library("rouge_score.rouge_scorer").RougeScorer([variant], use_stemmer=stemmer, tokenizer=tokenizer)


class UnicodeTokenizer:
    """Words of any script: letters, their marks and digits; single characters where a script has no spaces."""

    def __init__(self, stemmer: bool) -> None:
        """Stem English words when asked to, as rouge-score's own tokenizer does."""
        self._stemmer = library("nltk.stem.porter").PorterStemmer() if stemmer else None

    def tokenize(self, text: str) -> list[str]:
        """Return the words of a text, with case and width folded."""
        words = _word().findall(unicodedata.normalize("NFKC", text).casefold())
        return [self._stemmed(word) for word in words]

    def _stemmed(self, word: str) -> str:
        if self._stemmer is None or len(word) < SHORTEST_STEMMED or not word.isascii():
            return word
        return str(self._stemmer.stem(word))


@cache
def _word() -> re.Pattern[str]:
    # \w has no combining marks, which are half of the letters of many scripts.
    marks = "".join(
        character for character in map(chr, range(sys.maxunicode + 1)) if unicodedata.category(character)[0] == "M"
    )
    return re.compile(rf"[{CJK}][{marks}]*|[^\W_{CJK}](?:[^\W_{CJK}]|[{marks}])*")
