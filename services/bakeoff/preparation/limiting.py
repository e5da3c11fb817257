"""What a limited benchmark needs: where cases bring their own documents, only those of the cases that are asked."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from bakeoff.domain.benchmark import Case, RunUnit


@dataclass(frozen=True, slots=True)
class Needed:
    """What is left of a benchmark."""

    units: tuple[RunUnit, ...]
    document_ids: frozenset[str] | None
    """Documents that are prepared; None means all."""


def needed(units: Sequence[RunUnit], cases: Iterable[Case] | None) -> Needed:
    """Return what the cases of a benchmark need.

    A unit whose cases are not asked is not built, so that documents of no other unit are of no use. A corpus that is
    asked as a whole stays whole: with fewer documents questions would be easier.

    Args:
        units: The benchmark's.
        cases: Those that are asked; None means all, and is not gone through unless units name cases and documents.
    """
    everything = Needed(tuple(units), None)
    if cases is None or not all(unit.case_ids and unit.document_ids for unit in units):
        return everything
    asked: set[str] = set()
    named: set[str] = set()
    for case in cases:
        asked.add(case.case_id)
        # Evidence may lie outside of the unit; whether it is there is still looked up.
        ids = (piece.locator.get("document_id") for piece in case.expected.evidence)
        named.update(document_id for document_id in ids if isinstance(document_id, str))
    left = tuple(unit for unit in units if not asked.isdisjoint(unit.case_ids))
    if not left:
        return everything
    return Needed(left, frozenset(named.union(*(unit.document_ids for unit in left))))
