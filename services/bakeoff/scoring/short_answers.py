"""Whether an answer gives a short gold answer, as a careful reader would say it: by words, or as a number."""

from __future__ import annotations

import re

from bakeoff.scoring.evaluators.answer_contains import contains
from bakeoff.scoring.final_answer import final_answer, without_reasoning
from bakeoff.scoring.normalisation import squad, words
from bakeoff.scoring.quantities import compare, folded, quantities, whole_quantity

YES_NO = frozenset({"yes", "no", "true", "false"})
DENIAL = r"\b(?:not|never|neither|nor|isn't|wasn't|aren't|rather than|instead of|unlike|no longer)\b"
DENIED = re.compile(rf"{DENIAL}(?:\s+(?!but\b)\w+){{0,2}}\s*$", re.IGNORECASE)
"""What stands before a word that is turned down: `it is not in Paris`."""
GOES_ON = re.compile(r"\s*[π√^*/\\]|[A-Za-z]{1,2}(?![A-Za-z])|\s*\(")
"""What makes a number part of an expression: `25π`, `3x`."""
MATHEMATICAL = re.compile(r"\d|\\[a-zA-Z]+|[=π√∞≤≥∪∩^]")


def said_in(text: str) -> str:
    """Return what an answer finally says, or else the whole answer without what was thought aloud."""
    return final_answer(text) or without_reasoning(text)


def gives(said: str, gold: str) -> bool:
    """Return whether what is said gives the gold answer: its number, its yes or no, or its words in a row.

    A number is compared as a number and must not be part of an expression: 2 is given neither by 12 nor by 25π. Words
    that are denied are not given: `It is not Paris, it is London`.

    Args:
        said: What an answer finally says.
        gold: A gold answer, not blank.
    """
    if squad(said) == squad(gold):
        return True
    wanted = whole_quantity(gold)
    if wanted:
        found = quantities(said)
        lone = [one for one in found if not GOES_ON.match(folded(said), one.stop)]
        last = lone[-1:] if lone and lone[-1] == found[-1] else []
        return any(compare(one, wanted, tolerance=0.0, percent=True, scale=True).equal for one in last)
    if squad(gold) in YES_NO:
        return words(said)[:1] == words(gold)
    return contains(_affirmed(said, gold), gold)


def _affirmed(said: str, gold: str) -> str:
    """Return what is said without the places where the gold answer is denied."""
    pieces, start = [], 0
    for match in re.finditer(re.escape(gold.strip()), said, re.IGNORECASE):
        if DENIED.search(said, start, match.start()):
            pieces.append(said[start : match.start()])
            start = match.end()
    return " ".join([*pieces, said[start:]])


def is_mathematical(gold: str) -> bool:
    """Return whether a gold answer is a number, a formula or the like, for which other ways to write it are equal."""
    return bool(MATHEMATICAL.search(gold))
