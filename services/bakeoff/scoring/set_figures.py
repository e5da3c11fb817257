"""How well one set fits another: F1, Jaccard's index, equality."""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SetFigures:
    """Figures of a found set against a wanted one; each in [0, 1], higher is better."""

    precision: float
    recall: float
    f1: float
    jaccard: float
    exact: float


def set_figures(found: Set[int], wanted: Set[int], *, empty: float = 1.0) -> SetFigures:
    """Return the figures of a found set.

    Args:
        found: What was taken.
        wanted: What is right.
        empty: F1 and Jaccard's index of two empty sets: 1, since they are the same; 0 where a convention says so.

    Source: van Rijsbergen 1979 for F1; Jaccard 1912.
    """
    if not found and not wanted:
        return SetFigures(empty, empty, empty, empty, 1.0)
    shared = len(found & wanted)
    return SetFigures(
        precision=shared / len(found) if found else 0.0,
        recall=shared / len(wanted) if wanted else 0.0,
        f1=2 * shared / (len(found) + len(wanted)),
        jaccard=shared / len(found | wanted),
        exact=float(found == wanted),
    )
