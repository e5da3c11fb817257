"""How the UDA benchmark's own scripts compare answers, subset by subset."""

from __future__ import annotations

import re
from collections.abc import Sequence

from bakeoff.domain.errors import InvalidInputError
from bakeoff.scoring.normalisation import squad_official
from bakeoff.scoring.rules import shared_words

ANSWER_IS = "The answer is:"
ENDS = " \t\n\"'.,"
SCALES = {"": 1.0, "thousand": 1e3, "million": 1e6, "billion": 1e9, "percent": 0.01}
SCALE_WORD = re.compile(r"\s*(thousand|million|billion)s?$", re.IGNORECASE)
NEAR = 0.01
"""Relative difference that FinHybrid forgives, of the mean of both numbers."""
REFERENCES = 3
"""References that the script for papers looks at."""


def fin_right(answer: str, golds: Sequence[str]) -> bool:
    """Return whether an answer is one of FinHybrid's golds: the computed number, or the annotator's text.

    Words of scale are overlooked, so that 5 million is 5; accounting parentheses are no number.

    Source: Hui et al. 2024, "UDA", arXiv:2406.15187, evaluation of FinHybrid.
    """
    said = answer.rpartition(ANSWER_IS)[2].strip(ENDS)
    return any(_near(said, gold.strip(ENDS)) for gold in golds)


def _near(said: str, gold: str) -> bool:
    left, right = _fin_number(said), _fin_number(gold)
    if left is None or right is None:
        return said.lower() == gold.lower()
    return left == right or abs(left - right) <= NEAR * abs(left + right) / 2


def _fin_number(text: str) -> float | None:
    bare = SCALE_WORD.sub("", text.replace(",", "").replace("$", "").strip())
    return _float(bare[:-1], 0.01) if bare.endswith("%") else _float(bare, 1.0)


def _float(text: str, factor: float) -> float | None:
    return float(text) * factor if re.fullmatch(r"\s*[-+]?(?:\d+\.?\d*|\.\d+)\s*", text) else None


def tat_scores(answer: str, golds: Sequence[str], scale: str) -> tuple[float, float]:
    """Return exact match and F1 of an answer to a question of TatHybrid.

    The golds are the spans of one answer. A number's scale must be said, or be in the number: of 23.42 percent, 23.42%
    and 0.2342 are right, and 23.42 is not.

    Args:
        answer: What was said.
        golds: The spans, all of them wanted.
        scale: One of "", thousand, million, billion, percent.

    Raises:
        InvalidInputError: the scale is another.

    Source: Zhu et al. 2021, "TAT-QA", arXiv:2105.07624, tatqa_metric.py, as UDA calls it.
    """
    if scale not in SCALES:
        raise InvalidInputError(f"the scale {scale!r} is none of {', '.join(map(repr, SCALES))}")
    said = answer.rpartition(ANSWER_IS)[2].strip(ENDS)
    if len(golds) == 1 and (number := _fin_number(golds[0])) is not None:
        # The gold number is rounded before it is scaled, and a percent sign of its own is its scale.
        wanted = f"{number if golds[0].strip().endswith('%') else round(number, 2) * SCALES[scale]:.4f}"
        right = float(wanted in _tat_numbers(said))
        return right, right
    wanted = " ".join(sorted(squad_official(gold) for gold in golds))
    found = squad_official(said)
    return float(found == wanted), shared_words(found, wanted)


def _tat_numbers(said: str) -> list[str]:
    number = _fin_number(said)
    if number is None:
        return []
    word = SCALE_WORD.search(said)
    if word:
        return [f"{round(number, 2) * SCALES[word[1].lower()]:.4f}"]
    return [f"{number:.4f}"] if said.endswith("%") else [f"{round(number, 2):.4f}", f"{number:.4f}"]


def reference_f1(answer: str, references: Sequence[str]) -> float:
    """Return the largest token F1 with any reference; yes and no are compared by how the answer begins.

    Source: Dasigi et al. 2021, "Qasper", arXiv:2105.03011, as UDA calls it.
    """
    found = squad_official(answer)
    return max(
        (shared_words(_aligned(found, wanted), wanted) for wanted in map(squad_official, references)), default=0.0
    )


def _aligned(found: str, wanted: str) -> str:
    return wanted if wanted in ("yes", "no") and found.startswith(wanted) else found
