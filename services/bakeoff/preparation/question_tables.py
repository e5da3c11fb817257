"""Questions in a table: CSV, JSON lines, JSON, Parquet or XLSX, a case a row."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path, PurePosixPath

from bakeoff.domain.benchmark import Case, Evidence, Expected, Json
from bakeoff.domain.errors import InvalidInputError, NotFoundError, Violation
from bakeoff.preparation.question_columns import LABELS, QuestionColumns, question_columns
from bakeoff.preparation.questions import Questions
from bakeoff.preparation.row import Row
from bakeoff.preparation.row_files import FORMATS, read_rows
from bakeoff.preparation.source_files import SourceFile
from bakeoff.preparation.written_lists import written_list, written_text
from bakeoff.preparation.xlsx_rows import read_xlsx

TABLES = (*FORMATS, ".xlsx")
"""Endings of files that are tables of questions."""
DELIMITERS = ",;\t|"
BETWEEN = "||"
"""What may stand between answers in one value, any of which is right."""
FAULTS_SHOWN = 50


def is_table(path: Path) -> bool:
    """Return whether a file is a table of questions, by its ending; others are YAML."""
    return path.suffix.lower() in TABLES


def read_question_table(path: Path, columns: Mapping[str, object]) -> Questions:
    """Read a table of questions.

    Args:
        path: The file; its ending tells the format. The delimiter of a CSV file is guessed from its first line.
        columns: Column by part; parts that are not said are guessed.

    Raises:
        NotFoundError: there is no such file.
        InvalidInputError: it is no such table, or rows are wrong; tells all of them.
    """
    try:
        stamp = path.stat()
    except OSError as error:
        raise NotFoundError(f"the questions file {str(path)!r} cannot be read: {error.strerror}") from error
    said = tuple((part, tuple(value) if isinstance(value, list) else value) for part, value in columns.items())
    return _read(path, said, stamp.st_size, stamp.st_mtime_ns)


@lru_cache(maxsize=4)  # a benchmark asks several times; size and time notice a file that was changed in between
def _read(path: Path, said: tuple[tuple[str, object], ...], size_bytes: int, modified_ns: int) -> Questions:
    file = SourceFile(path.name, path)
    rows = list(_rows(file))
    if not rows:
        raise InvalidInputError(f"{str(path)!r} cannot be read as questions", [Violation("", "has no rows", str(path))])
    names = list(dict.fromkeys(name for row in rows for name in row.values if name))
    found = question_columns(names, dict(said), str(path))
    cases: list[Case] = []
    lines: dict[str, int] = {}
    faults: list[Violation] = []
    for row in rows:
        problems, case = _case(row, found)
        if case is not None and case.case_id in lines:
            problems.append(row.violation("id", f"{case.case_id!r} is already on line {lines[case.case_id]}"))
        if problems or case is None:
            faults += problems
            continue
        lines[case.case_id] = row.line or row.number
        cases.append(case)
    if faults:
        more = f" (the first {FAULTS_SHOWN} are shown)" if len(faults) > FAULTS_SHOWN else ""
        raise InvalidInputError(f"{str(path)!r} cannot be read as questions{more}", faults[:FAULTS_SHOWN])
    return Questions(tuple(cases), lines, {}, tuple(found.told()))


def named_by_path(cases: Sequence[Case], document_ids: Sequence[str]) -> tuple[Case, ...]:
    """Return cases whose evidence names each document by its path where it was its file name or that without ending.

    A name that is a path, or that several files or none have, stays as it is.
    """
    known = set(document_ids)
    by_name: dict[str, set[str]] = {}
    for document_id in document_ids:
        path = PurePosixPath(document_id)
        for name in (path.name, path.stem):
            by_name.setdefault(name, set()).add(document_id)

    def right(piece: Evidence) -> Evidence:
        name = str(piece.locator.get("document_id", ""))
        meant = by_name.get(PurePosixPath(name.replace("\\", "/")).name, set())
        if name in known or len(meant) != 1:
            return piece
        return replace(piece, locator={**piece.locator, "document_id": next(iter(meant))})

    return tuple(
        replace(case, expected=replace(case.expected, evidence=tuple(map(right, case.expected.evidence))))
        for case in cases
    )


def _rows(file: SourceFile) -> Iterator[Row]:
    if file.ending == ".xlsx":
        return read_xlsx(file)
    return read_rows(file, delimiter=_delimiter(file.path) if file.ending == ".csv" else None)


def _delimiter(path: Path) -> str:
    """Return the delimiter that cuts a file's header into most columns; a comma when none cuts it."""
    with path.open(encoding="utf-8-sig", errors="replace", newline="") as file:
        head = file.readline(1 << 20)
    widths = {each: len(next(csv.reader([head], delimiter=each), [])) for each in DELIMITERS}
    return max(DELIMITERS, key=lambda each: widths[each])


def _case(row: Row, found: QuestionColumns) -> tuple[list[Violation], Case | None]:
    faults: list[Violation] = []
    texts = {part: _first(row, columns) for part, columns in found.columns.items() if part != "answers"}
    question = texts.get("question")
    if question is None:
        return [row.violation(found.columns["question"][0], "must not be empty")], None
    page, problem = _page(texts)
    if problem:
        faults.append(row.violation(found.columns["page" if texts.get("page") else "page_index"][0], problem))
    document, words = texts.get("document"), texts.get("evidence")
    locator: Json = {"document_id": document} if document else {}
    if page is not None:
        locator["page_index"] = page
    evidence = (Evidence(document or "", locator, words or ""),) if locator or words else ()
    answers = tuple(
        dict.fromkeys(gold for column in found.columns.get("answers", ()) for gold in _answers(row, column))
    )
    labels = {part: text for part in LABELS if (text := texts.get(part))}
    rest = {name: text for name in found.rest if (text := written_text(row.values.get(name))) is not None}
    case_id = texts.get("id") or str(row.number)
    return faults, Case(case_id, question, Expected(answers, evidence), labels, dict(rest))


def _first(row: Row, columns: tuple[str, ...]) -> str | None:
    return next((text for column in columns if (text := written_text(row.values.get(column))) is not None), None)


def _page(texts: Mapping[str, str | None]) -> tuple[int | None, str]:
    """Return the page from 0, and what is wrong with it."""
    for part, first in (("page", 1), ("page_index", 0)):
        text = texts.get(part)
        if text is not None:
            if not text.strip().isdecimal() or int(text) < first:
                return None, f"must be a whole number from {first}, not {text!r}"
            return int(text) - first, ""
    return None, ""


def _answers(row: Row, column: str) -> list[str]:
    value = row.values.get(column)
    items = written_list(value)
    if items is None:
        text = written_text(value)
        items = [] if text is None else [part.strip() for part in text.split(BETWEEN)]
    return [text for item in items if (text := written_text(item)) is not None]
