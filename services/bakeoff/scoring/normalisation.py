"""Answers brought into a form in which they can be compared: the rules of SQuAD and of TriviaQA, and tokens."""

from __future__ import annotations

import re
import string
import unicodedata
from collections.abc import Callable

ARTICLES = re.compile(r"\b(?:a|an|the)\b")
SQUAD_PUNCTUATION = str.maketrans("", "", string.punctuation)
TRIVIAQA_PUNCTUATION = str.maketrans(dict.fromkeys(string.punctuation + "‘’´`", " "))
"""TriviaQA puts a space where SQuAD puts nothing, and knows four more marks."""
CJK = (
    "\u3040-\u30ff"  # kana
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"  # ideographs
    "\U00020000-\U0003ffff"  # ideographs beyond the basic plane
)
CJK_CHARACTER = re.compile(f"[{CJK}]")
CJK_TOKEN = re.compile(f"[{CJK}]|[^\\s{CJK}]+")

Normaliser = Callable[[str], str]


def squad(text: str) -> str:
    """Return an answer in SQuAD's form: lower case, no ASCII punctuation, no articles, single spaces.

    Text in Chinese or Japanese also loses its own punctuation, as in CMRC 2018. Two departures that only matter where
    the rule would say nothing: an answer of nothing but articles keeps them, and one of nothing but punctuation stays.

    Source: Rajpurkar et al. 2016, arXiv:1606.05250, evaluate-v1.1.py; Cui et al. 2019, arXiv:1810.07366.
    """
    lower = text.lower()
    return _first_not_empty(lower, _without_cjk_punctuation(lower).translate(SQUAD_PUNCTUATION))


def triviaqa(text: str) -> str:
    """Return an answer in TriviaQA's form: as SQuAD's, but underscores and punctuation become spaces.

    Source: Joshi et al. 2017, arXiv:1705.03551, triviaqa_evaluation.py.
    """
    lower = text.replace("_", " ").lower()
    return _first_not_empty(lower, _without_cjk_punctuation(lower).translate(TRIVIAQA_PUNCTUATION))


def squad_official(text: str) -> str:
    """Return an answer as SQuAD's script does, also where nothing is left of it.

    Source: Rajpurkar et al. 2016, arXiv:1606.05250, evaluate-v1.1.py; HotpotQA's script has the same.
    """
    return " ".join(ARTICLES.sub(" ", text.lower().translate(SQUAD_PUNCTUATION)).split())


def triviaqa_official(text: str) -> str:
    """Return an answer as TriviaQA's script does, also where nothing is left of it.

    Source: Joshi et al. 2017, arXiv:1705.03551, triviaqa_evaluation.py.
    """
    return " ".join(ARTICLES.sub(" ", text.replace("_", " ").lower().translate(TRIVIAQA_PUNCTUATION)).split())


def _first_not_empty(lower: str, bare: str) -> str:
    # An article or a mark may be the whole answer ("A" of A to D): deleting it would make every answer equal.
    for candidate in (ARTICLES.sub(" ", bare), bare, lower):
        if squeezed := " ".join(candidate.split()):
            return squeezed
    return ""


def _without_cjk_punctuation(text: str) -> str:
    if not CJK_CHARACTER.search(text):
        return text
    return "".join(mark for mark in text if mark.isascii() or unicodedata.category(mark)[0] not in "PS")


def tokens(normalised: str) -> list[str]:
    """Return the tokens of a normalised answer: words, and single characters where the script has no spaces."""
    return CJK_TOKEN.findall(normalised)


NUMBER_OR_WORD = re.compile(
    rf"(?<!\w)-?\d+(?:[.,:]\d+)*|\d+(?:[.,:]\d+)*|[{CJK}]|[^\W_{CJK}](?:[^\W_{CJK}]|['’](?=[^\W_]))*"
)
"""A number with its sign and separators is one token, so that 2 is not found in 12, 2.5 or -2."""
THOUSANDS = re.compile(r"-?\d{1,3}(?:,\d{3})+(?:\.\d+)?")


def words(text: str) -> list[str]:
    """Return the words and numbers of a text for containment: case and width folded, marks dropped.

    `1,000` becomes `1000`; an apostrophe inside a word is dropped; letters after digits are a word of their own.
    """
    folded = unicodedata.normalize("NFKC", text).casefold()
    return [_plain(token) for token in NUMBER_OR_WORD.findall(folded)]


def _plain(token: str) -> str:
    if THOUSANDS.fullmatch(token):
        return token.replace(",", "")
    return token.replace("'", "").replace("’", "")


def without_articles(found: list[str]) -> list[str]:
    """Return the words without English articles."""
    return [word for word in found if word not in ("a", "an", "the")]


def squeezed(text: str) -> str:
    """Return a text with case and width folded and every run of white space as one space."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())
