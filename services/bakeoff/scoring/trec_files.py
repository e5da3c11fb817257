"""Runs and judgements in TREC's formats, read as trec_eval reads them, with line numbers where they are wrong."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from bakeoff.domain.errors import InvalidInputError

WHOLE = re.compile(r"[+-]?[0-9]+")
COMMENT = "#"
"""Begins a line that is passed over; within an id it is a mark like any other."""
BOM = "\ufeff"
EXAMPLES = 5


@dataclass(slots=True)
class Notes:
    """What was odd in a file, and did not stop it from being read."""

    found: dict[str, list[str]] = field(default_factory=dict)

    def note(self, kind: str, example: str) -> None:
        """Count one occurrence."""
        self.found.setdefault(kind, []).append(example)

    def told(self) -> list[str]:
        """Return a sentence for each kind."""
        return [
            f"{len(examples):,} {kind}, such as {', '.join(examples[:EXAMPLES])}"
            for kind, examples in self.found.items()
        ]


def read_run(path: Path, notes: Notes) -> dict[str, dict[str, float]]:
    """Return the score of each document by query, in the file's order.

    A line is `query Q0 document rank score tag`, between white space; the rank is not read, and neither is what stands
    behind the tag. A document that a query has twice keeps its higher score; it is counted.

    Args:
        path: UTF-8 text.
        notes: Where repeated documents are noted.

    Raises:
        InvalidInputError: the file cannot be read, or a line has fewer than five columns or a score that is no finite
            number; names file and line.
    """
    run: dict[str, dict[str, float]] = {}
    for number, columns in _lines(path):
        if len(columns) < 5:
            raise _fault(path, number, f"must be `query Q0 document rank score tag`, not {' '.join(columns)[:80]!r}")
        query, _, document, _, text = columns[:5]
        score = _score(path, number, text)
        ranking = run.setdefault(query, {})
        if document in ranking:
            notes.note("documents stand twice in a ranking; the higher score counts", f"{query} {document}")
        ranking[document] = max(score, ranking.get(document, score))
    return run


def read_trec_qrels(path: Path, notes: Notes) -> dict[str, dict[str, int]]:
    """Return the grade of each judged document by query, in the file's order.

    A line is `query 0 document grade`, between white space. A pair that is judged twice keeps its higher grade; it is
    counted, and a pair judged differently is counted as a conflict as well.

    Args:
        path: UTF-8 text.
        notes: Where repeated judgements are noted.

    Raises:
        InvalidInputError: the file cannot be read, or a line has not four columns or a grade that is no whole number;
            names file and line.
    """
    qrels: dict[str, dict[str, int]] = {}
    for number, columns in _lines(path):
        if len(columns) != 4:
            raise _fault(path, number, f"must be `query 0 document grade`, not {' '.join(columns)[:80]!r}")
        query, _, document, text = columns
        if not WHOLE.fullmatch(text):
            raise _fault(path, number, f"grade must be a whole number, not {text!r}")
        grade, judged = int(text), qrels.setdefault(query, {})
        before = judged.get(document)
        if before is not None:
            notes.note("pairs are judged more than once; the higher grade counts", f"{query} {document}")
            if before != grade:
                kind = "pairs are judged twice with different grades; the higher one counts"
                notes.note(kind, f"{query} {document}: {before} and {grade}")
        judged[document] = grade if before is None else max(before, grade)
    return qrels


def _lines(path: Path) -> Iterator[tuple[int, list[str]]]:
    try:
        # ASCII white space only: other kinds may be part of an id.
        with path.open("rb") as file:
            for number, line in enumerate(file, start=1):
                columns = [_text(path, number, column) for column in line.split()]
                if number == 1 and columns:
                    columns[0] = columns[0].removeprefix(BOM)
                if columns and not columns[0].startswith(COMMENT):
                    yield number, columns
    except OSError as error:
        raise InvalidInputError(f"{path} cannot be read: {error.strerror}") from error


def _text(path: Path, number: int, column: bytes) -> str:
    try:
        return column.decode()
    except UnicodeDecodeError as error:
        raise _fault(path, number, f"is no UTF-8: {error}") from error


def _score(path: Path, number: int, text: str) -> float:
    try:
        score = float(text)
    except ValueError:
        score = math.nan
    if not math.isfinite(score):
        raise _fault(path, number, f"score must be a finite number, not {text!r}: it cannot be ranked")
    return score


def _fault(path: Path, number: int, problem: str) -> InvalidInputError:
    return InvalidInputError(f"{path} line {number}: {problem}")
