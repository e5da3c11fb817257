"""Words of a text as terms that can be matched."""

from __future__ import annotations

import re
import unicodedata

import Stemmer

WORD = re.compile(r"\w+(?:['’]\w+)?")
ENGLISH = "english"
NO_LANGUAGE = "none"
LANGUAGES = (ENGLISH, NO_LANGUAGE)
STOP_WORDS = frozenset(
    WORD.findall(
        """
        a about an and are as at be been but by can could did do does for from had has have he her his how i if
        in into is it its many may more most much my no not of on or our she should so some such than that the
        their them then there these they this those to was we were what when where which while who whom whose
        why will with would you your
        """
    )
)
"""Words of English that a question has because it is one; they tell nothing of what it is about."""


def terms(text: str, language: str) -> list[str]:
    """Return the terms of a text in their order.

    Args:
        text: Any text.
        language: `english` stems words and leaves out stop words; `none` only folds their case.
    """
    words = [word.group() for word in WORD.finditer(unicodedata.normalize("NFKC", text).casefold())]
    if language != ENGLISH:
        return words
    # One each time: a stemmer must not be shared between threads, and making it is cheap.
    stemmed: list[str] = Stemmer.Stemmer(ENGLISH).stemWords([word for word in words if word not in STOP_WORDS])
    return stemmed
