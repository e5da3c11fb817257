"""Words of a question by which examples are found, in any script and without stemming."""

from __future__ import annotations

import re
import unicodedata

WORD = re.compile(
    r"""
    [\u2e80-\u9fff\uf900-\ufaff\uac00-\ud7af\U00020000-\U0003ffff]  # scripts without spaces: each character is a word
    | [^\W_\u2e80-\u9fff\uf900-\ufaff\uac00-\ud7af\U00020000-\U0003ffff]+
    """,
    re.VERBOSE,
)


def words_of(text: str) -> list[str]:
    """Return the words of a text in their order, case folded."""
    return WORD.findall(unicodedata.normalize("NFKC", text).casefold())
