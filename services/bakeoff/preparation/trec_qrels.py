"""Judgements of classic collections: three or four columns between spaces, with codes that may be turned round."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from bakeoff.domain.errors import InvalidInputError, Violation
from bakeoff.preparation.findings import Findings
from bakeoff.preparation.records import fault
from bakeoff.preparation.trec_documents import read_text
from bakeoff.preparation.trec_topics import canonical

ENDS_IN_DIGITS = re.compile(r"(.*?)0*([0-9]+)")


@dataclass(frozen=True, slots=True)
class Judgement:
    """One judgement as its file has it."""

    topic: str
    document: str
    code: str
    line: int


def read_judgements(path: Path) -> list[Judgement]:
    """Return the judgements of a file.

    Three columns are topic, document and code (Cranfield); four are topic, iteration, document and code (TREC), or,
    where the last two are 0 throughout, topic and document that are relevant (SMART's qrels of CACM).

    Raises:
        InvalidInputError: a line has other than three or four columns, or the lines differ.
    """
    rows = [(number, line.split()) for number, line in enumerate(read_text(path).splitlines(), start=1)]
    rows = [(number, columns) for number, columns in rows if columns]
    for number, columns in rows:
        if len(columns) not in (3, 4) or len(columns) != len(rows[0][1]):
            raise fault(path, number, "", f"must have three or four columns, as all lines, not {len(columns)}")
    smart = bool(rows) and len(rows[0][1]) == 4 and all(columns[2:] == ["0", "0"] for _, columns in rows)
    return [_judgement(number, columns, smart=smart) for number, columns in rows]


def grades_of(
    path: Path, judgements: Iterable[Judgement], gains: Mapping[str, object] | None, findings: Findings
) -> dict[str, dict[str, int]]:
    """Return grade by document by topic; a pair that is judged twice keeps the higher one, and is counted.

    Args:
        path: For the messages.
        judgements: As read.
        gains: Grade by code; None means that codes are grades.
        findings: Where repeated judgements are noted.

    Raises:
        InvalidInputError: a code is no whole number, or is not among the gains.
    """
    grades: dict[str, dict[str, int]] = {}
    for each in judgements:
        grade = gains.get(each.code) if gains else _whole(each.code)
        if not isinstance(grade, int):
            known = f"; gains has {', '.join(gains)}" if gains else ""
            raise InvalidInputError(
                f"{path.name} cannot be read",
                [Violation("grade", f"{each.code!r} is no known code{known}", str(path), each.line)],
            )
        of_topic = grades.setdefault(each.topic, {})
        if each.document in of_topic:
            message = "pairs judged more than once; the higher grade counts"
            findings.note("duplicate_judgement", message, f"{each.topic} {each.document}")
        of_topic[each.document] = max(grade, of_topic.get(each.document, grade))
    return grades


def padded(
    grades: Mapping[str, dict[str, int]], document_ids: Sequence[str], findings: Findings
) -> dict[str, dict[str, int]]:
    """Return judgements with ids that lack zeros put right: CACM-115 becomes CACM-0115 if only that is there."""
    known: Container[str] = set(document_ids)
    by_number: dict[tuple[str, str], list[str]] = {}
    for document_id in document_ids:
        by_number.setdefault(_number(document_id), []).append(document_id)
    repaired: dict[str, dict[str, int]] = {}
    for topic, of_topic in grades.items():
        into = repaired.setdefault(topic, {})
        for document_id, grade in of_topic.items():
            meant = by_number.get(_number(document_id), [])
            right = meant[0] if document_id not in known and len(meant) == 1 else document_id
            if right != document_id:
                findings.note("padded_id", "judged ids that lacked zeros and were put right", f"{document_id} {right}")
            into[right] = max(grade, into.get(right, grade))
    return repaired


def _judgement(number: int, columns: list[str], *, smart: bool) -> Judgement:
    if smart:
        return Judgement(canonical(columns[0]), canonical(columns[1]), "1", number)
    return Judgement(canonical(columns[0]), columns[-2], columns[-1], number)


def _whole(code: str) -> int | None:
    return int(code) if re.fullmatch(r"[+-]?[0-9]+", code) else None


def _number(document_id: str) -> tuple[str, str]:
    found = ENDS_IN_DIGITS.fullmatch(document_id)
    return (found[1], found[2]) if found else (document_id, "")
