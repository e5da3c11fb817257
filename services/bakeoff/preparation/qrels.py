"""Relevance judgements in BEIR's form: query, document and grade, separated by tabs."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from bakeoff.preparation.findings import Findings
from bakeoff.preparation.records import BOM, fault

WHOLE = re.compile(r"[+-]?[0-9]+")
NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?|nan|[+-]?inf", re.IGNORECASE)

Judgements = dict[str, dict[str, int]]
"""Grade by document id by query id, in the file's order."""


def read_qrels(path: Path, findings: Findings) -> Judgements:
    """Read judgements. The first line may be a header; ids are taken as they stand, spaces and `#` included.

    A pair that is judged twice keeps its higher grade, as in a set of judgements; it is counted, and a pair judged
    differently is counted as a conflict as well.

    Args:
        path: UTF-8 text with three columns; blank lines are passed over.
        findings: Where repeated judgements are noted.

    Raises:
        InvalidInputError: a line has not three columns, an empty id, or a grade that is no whole number; names file
            and line.
    """
    judgements: Judgements = {}
    with path.open("rb") as file:
        for number, line in enumerate(file, start=1):
            if number == 1:
                line = line.removeprefix(BOM)
            try:
                text = line.decode().rstrip("\r\n")
            except UnicodeDecodeError as error:
                raise fault(path, number, "", f"is no UTF-8: {error}") from error
            row = _row(path, number, text)
            if row:
                _add(judgements, row, findings)
    return judgements


@dataclass(frozen=True, slots=True)
class _Row:
    query_id: str
    document_id: str
    grade: int


def _row(path: Path, number: int, text: str) -> _Row | None:
    if not text.strip():
        return None
    columns = text.split("\t")
    if len(columns) != 3:
        raise fault(path, number, "", f"must be query-id, corpus-id and score separated by tabs, not {text[:80]!r}")
    query_id, document_id, grade = columns
    if not WHOLE.fullmatch(grade.strip()):
        if number == 1 and not NUMBER.fullmatch(grade.strip()):
            return None  # a header; not every publisher writes one
        raise fault(path, number, "score", f"must be a whole number, not {grade!r}")
    if not query_id or not document_id:
        raise fault(path, number, "", f"has an empty id: {text[:80]!r}")
    return _Row(query_id, document_id, int(grade))


def _add(judgements: Judgements, row: _Row, findings: Findings) -> None:
    of_query = judgements.setdefault(row.query_id, {})
    before = of_query.get(row.document_id)
    if before is not None:
        pair = f"{row.query_id} {row.document_id}"
        findings.note("duplicate_judgement", "pairs judged more than once; the higher grade counts", pair)
        if before != row.grade:
            message = "pairs judged twice with different grades; the higher grade counts"
            findings.note("conflicting_judgement", message, f"{pair}: {before} and {row.grade}")
    of_query[row.document_id] = row.grade if before is None else max(before, row.grade)
