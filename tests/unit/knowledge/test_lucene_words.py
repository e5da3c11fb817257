"""Words as Lucene's analyzers cut them; many of the texts are those of its TestStandardAnalyzer and TestCJKAnalyzer."""

from __future__ import annotations

import math

import numpy as np
import pytest

from bakeoff.domain.component import ComponentSpec
from bakeoff.knowledge.bm25_weights import stored_lengths
from bakeoff.knowledge.indexing import Hits
from bakeoff.knowledge.lucene_words import CJK, LONGEST, split_as_lucene, words_of
from bakeoff.knowledge.registries import indexes
from bakeoff.knowledge.stopwords import LANGUAGES
from bakeoff.knowledge.terms import ANALYSED, Analyser


def search(texts: list[str], queries: list[str], **settings: object) -> list[Hits]:
    kind = indexes.load().make(ComponentSpec("bm25", settings))
    return kind.open(kind.build(texts, None), None).search(queries, 10)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("O'Reilly", ["o'reilly"]),
        ("you're", ["you're"]),
        ("21.35", ["21.35"]),
        ("216.239.63.104", ["216.239.63.104"]),
        ("R2D2 C3PO", ["r2d2", "c3po"]),
        ("some-dashed-phrase", ["some", "dashed", "phrase"]),
        ("dogs,chase,cats", ["dogs", "chase", "cats"]),
        ("ac/dc", ["ac", "dc"]),
        ("C embedded_developer #c", ["c", "embedded_developer", "c"]),
        ("안녕하세요 한글입니다", ["안녕하세요", "한글입니다"]),
        ("我是中国人。", ["我", "是", "中", "国", "人"]),
        ("仮名遣い カタカナ", ["仮", "名", "遣", "い", "カタカナ"]),
        ("1,000.5 a,b www.nist.gov", ["1,000.5", "a", "b", "www.nist.gov"]),
        ("cafe\u0301 \u0915\u093f", ["cafe\u0301", "\u0915\u093f"]),
        ("", []),
        ("?! \u2014", []),
    ],
)
def test_words_are_those_of_the_standard_tokenizer(text: str, words: list[str]) -> None:
    assert words_of(text, "german") == words


def test_a_word_that_is_too_long_is_cut() -> None:
    assert [len(word) for word in words_of("a" * (LONGEST + 5), "english")] == [LONGEST, 5]


def test_possessives_and_elided_articles_are_cut_off() -> None:
    assert words_of("The mole's piers\u2019S edge", "english") == ["the", "mole", "piers", "edge"]
    assert words_of("l'avion qu\u2019il aujourd'hui", "french") == ["avion", "il", "aujourd'hui"]
    assert words_of("dell'acqua", "italian") == ["acqua"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("一二三四五六七八九十", ["一二", "二三", "三四", "四五", "五六", "六七", "七八", "八九", "九十"]),
        ("一 二三四 五六七八九 十", ["一", "二三", "三四", "五六", "六七", "七八", "八九", "十"]),
        ("abc defgh ijklmn opqrstu vwxy z", ["abc", "defgh", "ijklmn", "opqrstu", "vwxy", "z"]),
        ("あいうえおabcかきくけこ", ["あい", "いう", "うえ", "えお", "abc", "かき", "きく", "くけ", "けこ"]),
        ("一", ["一"]),
        ("한국경제", ["한국", "국경", "경제"]),
        ("ﾃｽﾄ Ｔｅｓｔ １２３４", ["テス", "スト", "test", "1234"]),
    ],
)
def test_pairs_are_those_of_the_cjk_analyzer(text: str, words: list[str]) -> None:
    assert words_of(text, CJK) == words


def test_blocks_name_each_word_once_and_keep_the_texts_apart() -> None:
    [block] = split_as_lucene(["a b a", "", "b"], "english")

    assert block.distinct == ["a", "b"]
    assert block.words.tolist() == [0, 1, 0, 1]
    assert block.offsets.tolist() == [0, 3, 3, 4]


def test_a_single_chinese_character_is_found_only_with_a_language_that_has_such_words() -> None:
    texts = ["港 口", "灯塔在码头上", "a light"]

    assert [hits.chunks.tolist() for hits in search(texts, ["港", "码头"], language=CJK)] == [[0], [1]]
    assert [hits.chunks.tolist() for hits in search(texts, ["港"], analysis="lucene")] == [[0]]
    assert [hits.chunks.tolist() for hits in search(texts, ["港", "码头"])] == [[], []]


def test_english_stems_and_stop_words_are_those_of_the_english_analyzer() -> None:
    terms = Analyser("english", stopwords=True, stemming=True, lucene=True).terms_of(
        ["the", "a", "books", "generously", "x"]
    )

    # Porter's first stemmer has `gener`, his second one `generous`.
    assert terms == [None, None, "book", "gener", "x"]


@pytest.mark.parametrize("language", ANALYSED)
@pytest.mark.parametrize("analysis", ["words", "lucene"])
def test_every_language_finds_its_words(language: str, analysis: str) -> None:
    [hits] = search(["xylophon zylinder", "quark"], ["quark"], language=language, analysis=analysis)

    assert hits.chunks.tolist() == [1]


def test_languages_beyond_those_with_stop_words_are_stemmed() -> None:
    assert "finnish" not in LANGUAGES
    [hits] = search(["talossa on valo", "meri"], ["talo"], language="finnish")

    assert hits.chunks.tolist() == [0]


def test_lengths_are_rounded_as_lucene_stores_them() -> None:
    # SmallFloat.byte4ToInt(SmallFloat.intToByte4(n)): 24 free values, then four significant binary digits above 24.
    lengths = np.array([0, 1, 23, 24, 39, 40, 41, 42, 55, 56, 59, 60, 100, 1000])

    assert stored_lengths(lengths).tolist() == [0, 1, 23, 24, 39, 40, 40, 42, 54, 56, 56, 60, 96, 984]


def test_a_score_is_lucenes_by_hand() -> None:
    texts = ["mole " + "pier " * 40, "light"]
    [hits] = search(texts, ["mole"], k1=1.2, b=0.75, analysis="lucene")

    # BM25Similarity: idf = ln(1 + (N - n + .5)/(n + .5)); tf / (tf + k1 (1 - b + b dl / avgdl)); 41 is stored as 40.
    expected = math.log(2) * 1 / (1 + 1.2 * (1 - 0.75 + 0.75 * 40 / 21))
    assert hits.scores[0] == pytest.approx(expected, rel=1e-6)
