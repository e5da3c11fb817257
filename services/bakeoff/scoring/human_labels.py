"""People's ratings beside a judge's: a column of the cases holds them, and the report tells how far both agree."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from bakeoff.domain.benchmark import Case, Json
from bakeoff.scoring.judge_prompts import Scale

YES = {"true": 1.0, "yes": 1.0, "1": 1.0, "false": 0.0, "no": 0.0, "0": 0.0}
WINNERS = {"win": 1.0, "tie": 0.5, "loss": 0.0, "1": 1.0, "0.5": 0.5, "0": 0.0, "1.0": 1.0, "0.0": 0.0}
ReadLabel = Callable[[object], float | None]
"""Returns the rating that a label is; None when it is none."""


def label_facts(case: Case, entrant: str, column: str, read: ReadLabel, level: str) -> Json:
    """Return what is known of a case's label, for the details of its score.

    Args:
        case: Its label stands in the metadata of what is expected, else in its own.
        entrant: Whose answer is judged; a label that is a mapping has a rating for each entrant or recipe.
        column: Where the label stands; empty when there are none.
        read: Reads it.
        level: What ratings of the scale mean: `nominal` or `ordinal`.

    Returns:
        `level`, and `person`, the rating, or `bad_label`, what stands there instead; nothing when there is no column.
    """
    if not column:
        return {}
    label = case.expected.metadata.get(column, case.metadata.get(column))
    if isinstance(label, Mapping):
        label = label.get(entrant, label.get(entrant.partition("/")[0]))
    if label is None or label == "":
        return {"level": level}
    rating = read(label)
    return {"level": level, "bad_label": str(label)[:80]} if rating is None else {"level": level, "person": rating}


def yes_or_no(label: object) -> float | None:
    """Return 1 for yes and 0 for no, in words or numbers."""
    return YES.get(_word(label))


def winner(label: object) -> float | None:
    """Return 1 for `win`, 0.5 for `tie` and 0 for `loss`, in words or numbers."""
    return WINNERS.get(_word(label))


def on_scale(scale: Scale) -> ReadLabel:
    """Return what reads a whole number of a scale."""

    def read(label: object) -> float | None:
        try:
            number = float(_word(label))
        except ValueError:
            return None
        return number if scale.minimum <= number <= scale.maximum and number == int(number) else None

    return read


def _word(label: object) -> str:
    return str(label).strip().lower()
