"""What a judge said, read strictly: a rating, a verdict or a winner, or why it is none."""

from __future__ import annotations

import json
import re

from bakeoff.domain.errors import BakeoffError
from bakeoff.scoring.judge_prompts import Scale

FENCED = re.compile(r"```(?:json)?[ \t]*\n(?P<inside>.*?)\n?[ \t]*```", re.DOTALL | re.IGNORECASE)
WINNERS = ("A", "B", "tie")
SHOWN = 120
"""Characters of a malformed answer that are shown in its failure."""


class UnreadableJudgementError(BakeoffError):
    """A judge's answer does not say what was asked for; it is neither a zero nor a tie."""


def rating_of(said: str, scale: Scale) -> int:
    """Return the rating of a pointwise judge's answer.

    Raises:
        UnreadableJudgementError: there is no whole number on the scale: a text such as "4", true, null, 4.5 and 7 of 5
            are none.
    """
    value = _field(said, "score")
    number = None if isinstance(value, bool) or not isinstance(value, int | float) else value
    if number is None or not scale.minimum <= number <= scale.maximum or number != int(number):
        raise UnreadableJudgementError(
            f"score must be a whole number from {scale.minimum} to {scale.maximum}, not {json.dumps(value)}"
        )
    return int(number)


def verdict_of(said: str) -> bool:
    """Return the verdict of a judge that was asked for yes or no.

    Raises:
        UnreadableJudgementError: there is neither true nor false: the text "false" is no boolean, and would be true.
    """
    value = _field(said, "verdict")
    if not isinstance(value, bool):
        raise UnreadableJudgementError(f"verdict must be true or false, not {json.dumps(value)}")
    return value


def winner_of(said: str) -> str:
    """Return the winner that a pairwise judge names: `A`, `B` or `tie`.

    Raises:
        UnreadableJudgementError: it names none of them.
    """
    value = _field(said, "winner")
    if value not in WINNERS:
        raise UnreadableJudgementError(f"winner must be one of {', '.join(WINNERS)}, not {json.dumps(value)}")
    return str(value)


def _field(said: str, name: str) -> object:
    text = said.strip()
    fenced = FENCED.findall(text)
    if len(fenced) == 1:
        text = fenced[0].strip()
    try:
        value = json.loads(text, object_pairs_hook=_object, parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        reason = str(error) if isinstance(error, _RefusedJsonError) else "it is no JSON object"
        raise UnreadableJudgementError(f"{reason}: {said[:SHOWN]!r}") from None
    if not isinstance(value, dict) or name not in value:
        raise UnreadableJudgementError(f"it has no field {name!r}: {said[:SHOWN]!r}")
    return value[name]


class _RefusedJsonError(ValueError):
    """JSON that Python would read, and that says nothing certain."""


def _object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    names = [name for name, _ in pairs]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise _RefusedJsonError(f"it says {', '.join(twice)} twice")
    return dict(pairs)


def _no_constant(name: str) -> object:
    raise _RefusedJsonError(f"{name} is no number")
