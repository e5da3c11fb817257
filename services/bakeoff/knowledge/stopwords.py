"""The stop words of a language, as the library bm25s has them: NLTK's, and for English those of Lucene."""

from __future__ import annotations

from functools import cache
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path

from bakeoff.domain.errors import InvalidInputError

LANGUAGES = (
    "danish", "dutch", "english", "french", "german", "italian", "norwegian", "portuguese", "russian", "spanish",
    "swedish", "turkish",
)  # fmt: skip
"""Languages that have both a list of stop words (bm25s) and a stemmer (Snowball)."""


@cache
def stopwords_of(language: str) -> frozenset[str]:
    """Return the stop words of one of LANGUAGES.

    Raises:
        InvalidInputError: the library bm25s is not installed.
    """
    # The module alone: importing the whole library takes a tenth of a second, for scipy and what else it can use.
    found = find_spec("bm25s")
    if found is None or not found.submodule_search_locations:
        raise InvalidInputError("stop words need the package bm25s, which is not installed")
    spec = spec_from_file_location("bm25s_stopwords", Path(found.submodule_search_locations[0]) / "stopwords.py")
    if spec is None or spec.loader is None:
        raise InvalidInputError("the package bm25s has no stop words")
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return frozenset(getattr(module, "STOPWORDS_EN" if language == "english" else f"STOPWORDS_{language.upper()}"))
