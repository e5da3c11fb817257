"""Whether an answer gives a short gold answer, as a careful reader would say it: by words, or as a number."""

from __future__ import annotations

import re
from decimal import Decimal

from bakeoff.scoring.evaluators.answer_contains import contains
from bakeoff.scoring.final_answer import final_answer, without_reasoning
from bakeoff.scoring.normalisation import squad, words
from bakeoff.scoring.quantities import compare, folded, quantities, whole_quantity

YES_NO = frozenset({"yes", "no", "true", "false"})
DENIAL = r"\b(?:not|never|neither|nor|isn't|wasn't|aren't|rather than|instead of|unlike|no longer)\b"
DENIED = re.compile(
    rf"(?:{DENIAL}(?:\s+(?!but\b)\w+){{0,2}}\s*|(?:不是|不在|不叫|并非|並非|而非)\s{{0,3}}[“「]?)$", re.IGNORECASE
)
"""What stands before a word that is turned down: `it is not in Paris`, 不是北京."""
REFUSED = re.compile(
    r"\s{1,3}(?:is|was)(?:(?:n['’]t|\s+not)\s+(?:the\s+)?(?:right|correct|answer)|\s+(?:wrong|incorrect|false))\b",
    re.IGNORECASE,
)
"""What follows a word that is turned down: `Paris is not the answer`, `Paris is wrong`."""
GOES_ON = re.compile(r"\s*[π√^*/\\]|[A-Za-z]{1,2}(?![A-Za-z])|\s*\(")
"""What makes a number part of an expression: `25π`, `3x`."""
SEPARATOR = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
"""Of thousands."""
MATHEMATICAL = re.compile(r"\d|\\[a-zA-Z]+|[=π√∞≤≥∪∩^]")


def said_in(text: str) -> str:
    """Return what an answer finally says, or else the whole answer without what was thought aloud."""
    return final_answer(text) or without_reasoning(text)


def gives(said: str, gold: str) -> bool:
    """Return whether what is said gives the gold answer: its number, its yes or no, or its words in a row.

    A number is compared as a number and must not be part of an expression: 2 is given neither by 12 nor by 25π. A yes
    or no is what the answer begins with, or else ends with. Words that are denied are not given: `It is not Paris, it
    is London`.

    Args:
        said: What an answer finally says.
        gold: A gold answer, not blank.
    """
    if squad(said) == squad(gold) and _figures(said) == _figures(gold):
        return True
    wanted = whole_quantity(gold)
    if wanted:
        found = quantities(said)
        lone = [one for one in found if not GOES_ON.match(folded(said), one.stop)]
        last = lone[-1:] if lone and lone[-1] == found[-1] else []
        return any(compare(one, wanted, tolerance=0.0, percent=True, scale=True).equal for one in last)
    if squad(gold) in YES_NO:
        return _yes_or_no(said) == words(gold)[0]
    return contains(_affirmed(said, gold), gold)


def is_settled(said: str, gold: str) -> bool:
    """Return whether a number that does not equal the gold one is no matter of other ways to write it.

    Mathematics knows no words of scale: it would take 5 million for 5.
    """
    wanted, found = whole_quantity(gold), quantities(said)
    if not wanted or not found:
        return False
    return wanted.scale != 1 or found[-1].scale != 1


def _figures(text: str) -> tuple[list[Decimal], list[str]]:
    """Return the numbers of a text, and its digits; without its marks -5 would be 5, and 1.5 would be 15."""
    plain = SEPARATOR.sub("", folded(text))
    return [one.value for one in quantities(text)], re.findall(r"\d+", plain)


def _yes_or_no(said: str) -> str:
    """Return the yes, no, true or false with which an answer begins, or else ends; empty for neither."""
    spoken = words(said)
    if spoken[:1] and spoken[0] in YES_NO:
        return spoken[0]
    last = spoken[-1] if spoken else ""
    return last if last in YES_NO and not DENIED.search(" ".join(spoken[:-1])) else ""


def _affirmed(said: str, gold: str) -> str:
    """Return what is said without the places where the gold answer is denied."""
    pieces, start = [], 0
    for match in re.finditer(re.escape(gold.strip()), said, re.IGNORECASE):
        if DENIED.search(said, start, match.start()) or REFUSED.match(said, match.end()):
            pieces.append(said[start : match.start()])
            start = match.end()
    return " ".join([*pieces, said[start:]])


def is_mathematical(gold: str) -> bool:
    """Return whether a gold answer is a number, a formula or the like, for which other ways to write it are equal."""
    return bool(MATHEMATICAL.search(gold))
