"""Texts as words and terms."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bakeoff.knowledge import words
from bakeoff.knowledge.postings import count_terms
from bakeoff.knowledge.stopwords import LANGUAGES, stopwords_of
from bakeoff.knowledge.terms import Analyser
from bakeoff.knowledge.words import split_words

alphabet = st.one_of(st.characters(codec="utf-8"), st.sampled_from("aB_9 .\t\n-éÜßΣİ中½²\u00a0\u0301\u200b'"))
many_texts = st.lists(st.text(alphabet, max_size=30), max_size=8)


def listed(texts: list[str]) -> list[list[str]]:
    found: list[list[str]] = []
    for block in split_words(texts):
        assert block.first == len(found)
        spelled = [block.distinct[number] for number in block.words]
        found += [spelled[start:stop] for start, stop in zip(block.offsets, block.offsets[1:], strict=False)]
    return found


@given(many_texts)
def test_words_are_those_of_the_regular_expression(texts: list[str]) -> None:
    assert listed(texts) == [re.findall(r"\w+", text.lower()) for text in texts]


@given(many_texts, st.integers(1, 40))
def test_blocks_do_not_change_the_words(texts: list[str], size: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(words, "BLOCK_CHARACTERS", size)
        in_blocks = listed(texts)

    assert in_blocks == listed(texts)


def test_stop_words_and_single_characters_are_dropped_and_the_rest_is_stemmed() -> None:
    analyser = Analyser("english", stopwords=True, stemming=True)

    assert analyser.terms_of(["the", "harbours", "x", "running", "ab"]) == [None, "harbour", None, "run", "ab"]


def test_without_stop_words_and_stemming_words_are_terms() -> None:
    analyser = Analyser("german", stopwords=False, stemming=False)

    assert analyser.terms_of(["der", "häfen"]) == ["der", "häfen"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_has_stop_words_and_a_stemmer(language: str) -> None:
    stop = sorted(word for word in stopwords_of(language) if len(word) > 1)[0]

    assert Analyser(language, stopwords=True, stemming=True).terms_of([stop, "xylophon"])[0] is None


def test_terms_are_counted_by_text() -> None:
    counts = count_terms(["the pier, piers", "", "pier light"], Analyser("english", stopwords=True, stemming=True))

    assert counts.terms == ["light", "pier"]
    assert counts.pointers.tolist() == [0, 1, 3]
    assert list(zip(counts.text.tolist(), counts.frequency.tolist(), strict=True)) == [(2, 1), (0, 2), (2, 1)]
    assert counts.lengths.tolist() == [2, 0, 2]


@given(many_texts, st.integers(1, 40))
def test_blocks_do_not_change_the_counts(texts: list[str], size: int) -> None:
    analyser = Analyser("english", stopwords=True, stemming=True)
    whole = count_terms(texts, analyser)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(words, "BLOCK_CHARACTERS", size)
        blocks = count_terms(texts, analyser)

    assert blocks.terms == whole.terms
    assert blocks.pointers.tolist() == whole.pointers.tolist()
    assert blocks.text.tolist() == whole.text.tolist()
    assert blocks.frequency.tolist() == whole.frequency.tolist()
    assert blocks.lengths.tolist() == whole.lengths.tolist()
