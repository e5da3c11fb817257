"""Figures over single claims that a judge has decided: each direction is counted on its own side."""

from __future__ import annotations

from collections.abc import Sequence


def share_of_claims(decided: Sequence[bool]) -> float | None:
    """Return the share of claims that hold; None when there is no claim, such as in an abstention.

    With the answer's claims, each supported by the passages or not, that is faithfulness; supported by the reference or
    not, claim precision. With the reference's claims, each found in the answer or not, it is claim recall: the true
    positives of recall are counted among the reference's claims, never among the answer's.
    """
    return sum(decided) / len(decided) if decided else None


def claim_f1(precision: float | None, recall: float | None) -> float | None:
    """Return the harmonic mean of claim precision and recall; None when either is not known, 0 when both are 0."""
    if precision is None or recall is None:
        return None
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0
