"""When two cases are the same question, whatever they are called."""

from __future__ import annotations

import hashlib
import unicodedata

from bakeoff.domain.benchmark import Case


def content_of(case: Case) -> bytes:
    """Return a digest of what a case asks and what is right: question, given contexts and gold answers; 16 bytes.

    Capitals, forms of characters, spacing and the order of the answers make no difference. Choices are no part of it:
    the same question with its choices shuffled is still the same.
    """
    answers = sorted(_alike(answer) for answer in case.expected.answers)
    contexts = _alike(str(case.metadata.get("contexts") or ""))
    parts = [_alike(case.query), contexts, answers or _alike(str(case.expected.value))]
    return hashlib.blake2b(repr(parts).encode("utf-8", "surrogatepass"), digest_size=16).digest()


def _alike(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())
