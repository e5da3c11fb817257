r"""Texts as their words as Lucene's analyzers cut them: the StandardTokenizer, and the bigrams of the CJKAnalyzer.

A word is a run of letters and digits with the marks on them; a full stop, colon or apostrophe between two letters and a
full stop, comma or apostrophe between two digits stay inside. A Han or Hiragana character is a word of its own, a run
of Katakana one word. Possessive `'s` and elided articles are cut off as the language's analyzer does it.

Source: Lucene 9's StandardTokenizer (Unicode annex 29), EnglishPossessiveFilter, ElisionFilter, CJKWidthFilter and
CJKBigramFilter. Not taken over: emoji as words, and the finer rules for Hebrew quotes and Thai.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from functools import cache

import numpy as np

from bakeoff.knowledge.words import WordBlock, text_blocks

CJK = "cjk"
"""The language of the CJKAnalyzer: Chinese, Japanese and Korean."""
LONGEST = 255
"""Characters of a word; a longer one is cut, as the tokenizer does."""
HAN = "\u2e80-\u2fdf\u3005\u3007\u3021-\u3029\u3038-\u303b\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323af"
HIRAGANA = "\u3041-\u3096\u309d-\u309f"
KATAKANA = "\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff\uff66-\uff9f"
HANGUL = "\u1100-\u11ff\u3130-\u318f\ua960-\ua97f\uac00-\ud7ff"
WIDE = re.compile("[\uff01-\uff5e\uff65-\uff9f]+")
"""Full-width ASCII and half-width Katakana, which have an ordinary form each."""
BETWEEN_LETTERS = "[.:'\u00b7\u0387\u2018\u2019\u2024\u2027\ufe13\ufe52\ufe55\uff07\uff0e\uff1a]"
BETWEEN_DIGITS = "[.,;'\u2018\u2019\u2024\u066c\ufe10\ufe14\ufe50\ufe52\ufe54\uff07\uff0c\uff0e\uff1b]"
POSSESSIVE = re.compile("['\u2019\uff07][sS]$")
ELIDED = {
    "french": "l m t qu n s j d c jusqu quoiqu lorsqu puisqu",
    "italian": "c l all dall dell nell sull coll pell gl agl dagl degl negl sugl un m t s v d",
    "catalan": "d l m n s t",
    "irish": "d m b",
}
"""Articles and the like that lose their vowel before another, by language."""
STOPWORDS = frozenset(
    re.findall(
        r"\w+",
        "a and are as at be but by for if in into is it no not of on or s such t that the their then there these they "
        "this to was will with www",
    )
)
"""Of the CJKAnalyzer."""


def split_as_lucene(texts: Iterable[str], language: str) -> Iterator[WordBlock]:
    """Yield the words of texts in lower case, block by block.

    Args:
        texts: Any.
        language: Decides what is cut off words; CJK gives bigrams.
    """
    for first, block in text_blocks(texts):
        numbers: dict[str, int] = {}
        words: list[int] = []
        offsets = [0]
        for text in block:
            words += [numbers.setdefault(word, len(numbers)) for word in words_of(text, language)]
            offsets.append(len(words))
        yield WordBlock(first, list(numbers), np.array(words, np.int32), np.array(offsets, np.int64))


def words_of(text: str, language: str) -> list[str]:
    """Return the words of one text, in lower case and in their order."""
    if language == CJK:
        return _bigrams(text)
    found = _pieces(_pattern(bigrams=False).findall(text))
    if language == "english":
        return [POSSESSIVE.sub("", word).lower() for word in found]
    if language in ELIDED:
        return [_without_article(word.lower(), language) for word in found]
    return [word.lower() for word in found]


def _bigrams(text: str) -> list[str]:
    plain = WIDE.sub(lambda found: unicodedata.normalize("NFKC", found.group()), text)
    words: list[str] = []
    for match in _pattern(bigrams=True).finditer(plain):
        run = match.group("run")
        if run is None:
            words += [word.lower() for word in _pieces([match.group()])]
        else:
            words += [run[at : at + 2] for at in range(len(run) - 1)] or [run]
    return words


def _pieces(words: list[str]) -> list[str]:
    return [word[at : at + LONGEST] for word in words for at in range(0, len(word), LONGEST)]


def _without_article(word: str, language: str) -> str:
    before, apostrophe, behind = word.replace("\u2019", "'").partition("'")
    return behind if apostrophe and before in ELIDED[language].split() else word


@cache
def _pattern(*, bigrams: bool) -> re.Pattern[str]:
    marks = f"[{_marks()}]*+"
    apart = HAN + HIRAGANA + KATAKANA + (HANGUL if bigrams else "")
    letters = f"(?:[^\\W\\d_{apart}]{marks})++"
    digits = f"(?:\\d{marks})++"
    word = f"(?:{letters}(?:{BETWEEN_LETTERS}{letters})*+|{digits}(?:{BETWEEN_DIGITS}{digits})*+|_)++"
    if bigrams:
        return re.compile(f"(?P<run>[{apart}]+)|{word}")
    return re.compile(f"{word}|[{KATAKANA}]++{marks}|[{HAN}{HIRAGANA}]{marks}")


def _marks() -> str:
    """Return the characters that belong to the one before them, as ranges of a regular expression's set."""
    places = (*range(0x300, 0x20000), *range(0xE0000, 0xE0200))  # between them are ideographs, which are none
    numbers = [n for n in places if unicodedata.category(chr(n)) in ("Mn", "Mc", "Me", "Cf")]
    breaks = np.flatnonzero(np.diff(numbers) > 1)
    starts = [numbers[0], *(numbers[at + 1] for at in breaks)]
    ends = [*(numbers[at] for at in breaks), numbers[-1]]
    return "".join(f"\\U{start:08x}-\\U{end:08x}" for start, end in zip(starts, ends, strict=True))
