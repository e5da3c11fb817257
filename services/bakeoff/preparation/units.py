"""Run units with their cases laid out: the cases of a unit are adjacent, and no case is left out."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from bakeoff.contract import stored
from bakeoff.domain.benchmark import Case, RunUnit
from bakeoff.domain.errors import InvalidInputError
from bakeoff.domain.prepared import PreparedDocument, PreparedUnit
from bakeoff.preparation.findings import Findings


class DocumentDigests:
    """Digests over the documents of units: over each document's id, bytes, place and metadata, in the order read."""

    def __init__(self, benchmark: str, split: str, units: Sequence[RunUnit]) -> None:
        """Start with no document; single digests are kept only when some unit names its documents."""
        self._start = stored.encode((benchmark, split))
        self._all = hashlib.sha256(self._start)
        self._keep = any(unit.document_ids for unit in units)
        self._each: dict[str, bytes] = {}
        self._count = 0

    def add(self, document: PreparedDocument, original_sha256: str) -> None:
        """Take in one document.

        Where its original is counts too, since passages name it: a knowledge base that is shared must say the truth.
        """
        digest = hashlib.sha256(stored.encode((document, original_sha256))).digest()
        self._all.update(digest)
        self._count += 1
        if self._keep:
            self._each[document.document_id] = digest

    def of(self, unit: RunUnit) -> tuple[str, int]:
        """Return the digest of a unit's documents, and how many they are.

        Raises:
            InvalidInputError: it names a document that is not there, or one twice.
        """
        if not unit.document_ids:
            return self._all.hexdigest(), self._count
        wanted = set(unit.document_ids)
        absent = sorted(wanted - self._each.keys())
        if absent or len(wanted) != len(unit.document_ids):
            problem = f"documents that are not there: {absent[:10]}" if absent else "a document twice"
            raise InvalidInputError(f"unit {unit.unit_id!r} names {problem}")
        digest = hashlib.sha256(self._start)
        for document_id, each in self._each.items():
            if document_id in wanted:
                digest.update(each)
        return digest.hexdigest(), len(wanted)


@dataclass(frozen=True, slots=True)
class LaidOut:
    """One unit and its cases."""

    unit: RunUnit
    cases: Iterable[Case]


def lay_out(units: Sequence[RunUnit], cases: Iterator[Case], findings: Findings) -> Iterator[LaidOut]:
    """Yield each unit with its cases, in the benchmark's order. Take each unit's cases before the next unit.

    Units without cases are left out and noted: nothing would be asked of them.

    Args:
        units: The benchmark's; no case ids means all cases.
        cases: The benchmark's, perhaps not all of them; read once, and held only when some unit names its cases.
        findings: Where units without cases are noted.

    Raises:
        InvalidInputError: there is no unit, two have one id, or a case is in no unit.
    """
    _check_ids(units)
    if len(units) == 1 and not units[0].case_ids:
        yield LaidOut(units[0], cases)
        return
    held = {case.case_id: case for case in cases}
    left = set(held)
    for unit in units:
        chosen = _chosen(unit, held)
        left -= {case.case_id for case in chosen}
        if chosen:
            yield LaidOut(unit, chosen)
        else:
            findings.note("unit_without_cases", "units of which nothing is asked are left out", unit.unit_id)
    if left:
        raise InvalidInputError(f"{len(left)} cases are in no unit: {', '.join(sorted(left)[:10])}")


def prepared_unit(laid_out: LaidOut, digests: DocumentDigests, start: int, stop: int) -> PreparedUnit:
    """Return a unit as it is prepared, with its cases at `[start, stop)`."""
    unit = laid_out.unit
    digest, documents = digests.of(unit)
    return PreparedUnit(unit.unit_id, digest, unit.document_ids, documents, start, stop, unit.metadata)


def _chosen(unit: RunUnit, held: Mapping[str, Case]) -> list[Case]:
    if not unit.case_ids:
        return list(held.values())
    wanted = set(unit.case_ids)
    return [case for case_id, case in held.items() if case_id in wanted]


def _check_ids(units: Sequence[RunUnit]) -> None:
    if not units:
        raise InvalidInputError("the benchmark has no unit")
    seen: set[str] = set()
    for unit in units:
        if not unit.unit_id or unit.unit_id in seen:
            problem = "is there twice" if unit.unit_id else "must not be empty"
            raise InvalidInputError(f"unit id {unit.unit_id!r} {problem}")
        seen.add(unit.unit_id)
