"""Questions about a folder of files in a table, its columns guessed by their names."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import openpyxl
import pytest

from bakeoff.domain.benchmark import BenchmarkChoice
from bakeoff.domain.component import ComponentSpec
from bakeoff.domain.errors import InvalidInputError
from bakeoff.preparation.check import decisions
from bakeoff.preparation.registries import adapters
from bakeoff.runtime.settings import Settings
from tests.unit.knowledge.office_files import with_part
from tests.unit.preparation.conftest import Outcome
from tests.unit.preparation.question_samples import lines

Prepare = Callable[..., Outcome]


@pytest.fixture
def asked(prepare_as: Prepare, tmp_path: Path) -> Callable[..., Outcome]:
    """Prepare a folder with two documents and a table of questions."""

    def run(name: str, data: str | bytes, columns: dict[str, Any] | None = None) -> Outcome:
        for document in ("tides/high.md", "low.txt"):
            path = tmp_path / "documents" / document
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("High water is at noon.")
        (tmp_path / name).write_bytes(data if isinstance(data, bytes) else data.encode())
        more = {} if columns is None else {"columns": columns}
        return prepare_as("folder", path=str(tmp_path / "documents"), questions=str(tmp_path / name), **more)

    return run


def workbook(*rows: list[object]) -> bytes:
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    for row in rows:
        sheet.append(row)
    data = io.BytesIO()
    book.save(data)
    return data.getvalue()


def test_columns_are_guessed_by_their_names_and_told(asked: Callable[..., Outcome]) -> None:
    outcome = asked("q.csv", "Question ID,Query,Gold Answer,File Name,Page,Asked by\na,When?,at noon,high.md,3,Ann\n")
    (case,) = outcome.cases
    assert (case.case_id, case.query, case.expected.answers) == ("a", "When?", ("at noon",))
    assert case.expected.evidence[0].locator == {"document_id": "tides/high.md", "page_index": 2}
    assert case.metadata == {"Asked by": "Ann"}
    (finding,) = outcome.quality.findings
    assert (finding.code, finding.examples) == (
        "guessed_columns",
        (
            "question is Query",
            "id is Question ID",
            "answers is Gold Answer",
            "document is File Name",
            "page is Page",
            "metadata is Asked by",
        ),
    )


def test_columns_that_are_said_are_not_guessed(asked: Callable[..., Outcome]) -> None:
    outcome = asked("q.csv", "question,other,answer\nno,When?,noon\n", {"question": "other", "answers": None})
    (case,) = outcome.cases
    assert (case.query, case.expected.answers) == ("When?", ())
    assert case.metadata == {"question": "no", "answer": "noon"}


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_the_delimiter_is_found_in_the_header(asked: Callable[..., Outcome], delimiter: str) -> None:
    data = delimiter.join(("question", "answer")) + "\n" + delimiter.join(("When?", "noon")) + "\n"
    assert asked("q.csv", "\ufeff" + data).cases[0].expected.answers == ("noon",)


def test_a_long_value_is_read(asked: Callable[..., Outcome]) -> None:
    assert len(asked("q.csv", f"question,answer\n{'w' * 200_000},noon\n").cases[0].query) == 200_000


def test_several_answers_may_stand_in_one_value_or_in_numbered_columns(asked: Callable[..., Outcome]) -> None:
    listed = asked("q.csv", 'question,answers\na?,"[""noon"", ""12""]"\nb?,six || 6\n').cases
    assert [case.expected.answers for case in listed] == [("noon", "12"), ("six", "6")]
    numbered = asked("q.csv", "question,answer_1,answer_2\na?,noon,12\n").cases
    assert numbered[0].expected.answers == ("noon", "12")


def test_json_lines_keep_their_lists_and_numbers(asked: Callable[..., Outcome]) -> None:
    (case,) = asked("q.jsonl", lines({"query": "a?\u2028b?", "answer": [0.10, "12"], "page_index": 0})).cases
    assert (case.query, case.expected.answers) == ("a?\u2028b?", ("0.1", "12"))
    assert case.expected.evidence[0].locator == {"page_index": 0}


def test_a_workbook_is_read_with_its_values_as_text(asked: Callable[..., Outcome]) -> None:
    data = workbook(
        [], ["Question", "Answer", "Page", "When"], ["How many?", 5.0, 2, date(2024, 3, 5)], [None], ["How much?", 0.1]
    )
    first, second = asked("q.xlsx", data).cases
    assert (first.expected.answers, first.metadata) == (("5",), {"When": "2024-03-05"})
    assert first.expected.evidence[0].locator == {"page_index": 1}
    assert second.expected.answers == ("0.1",)


@pytest.mark.parametrize(
    ("cell", "words"),
    [
        (b'<c r="A2"><v>x1</v></c>', "invalid literal"),
        (b'<c r="ZZZZ2"/>', "'ZZZZ'"),
        (b"<c", "not well-formed|unclosed"),
    ],
)
def test_a_workbook_with_a_damaged_sheet_is_refused(asked: Callable[..., Outcome], cell: bytes, words: str) -> None:
    data = workbook(["question"], ["a?"])
    with zipfile.ZipFile(io.BytesIO(data)) as book:
        sheet = book.read("xl/worksheets/sheet1.xml")
    damaged = sheet[: sheet.index(b"</sheetData>")] + b'<row r="3">' + cell + b"</row></sheetData></worksheet>"
    with pytest.raises(InvalidInputError, match=f"q.xlsx: is damaged: .*({words})"):
        asked("q.xlsx", with_part(data, "xl/worksheets/sheet1.xml", damaged))


def test_a_byte_that_is_no_utf8_is_told_with_its_line(asked: Callable[..., Outcome]) -> None:
    data = "question,answer\na?,b\nWo ist die Brücke?,hier\n".encode("latin-1")
    with pytest.raises(InvalidInputError, match=r"q\.csv:3: 0xfc, byte 14 of the line, is no UTF-8; save the file as"):
        asked("q.csv", data)


def test_a_workbook_that_unpacks_to_too_much_is_refused(asked: Callable[..., Outcome]) -> None:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive, archive.open("xl/a", "w") as file:
        for _ in range(600):
            file.write(bytes(1 << 20))
    with pytest.raises(InvalidInputError, match=r"unpacks to 629,145,600 bytes"):
        asked("q.xlsx", data.getvalue())


@pytest.mark.parametrize(
    ("name", "data", "columns", "problem"),
    [
        ("q.csv", "ask,answer\na,b\n", None, "no column is the question; there are: ask, answer"),
        ("q.csv", "question,answer\na?\n", None, r"q\.csv:2: row 1: has 1 values, but there are 2 columns"),
        ("q.csv", "question,answer\n,b\n", None, r"q\.csv:2: row 1, question: must not be empty"),
        ("q.csv", "question,page\na?,iv\n", None, "page: must be a whole number from 1, not 'iv'"),
        ("q.csv", "question,page\na?,0\n", None, "page: must be a whole number from 1, not '0'"),
        ("q.csv", "id,question\n1,a?\n1,b?\n", None, r"q\.csv:3: row 2, id: '1' is already on line 2"),
        ("q.csv", "question,file\na?,hihg.md\n", None, r"'hihg\.md' is no file .*did you mean 'tides/high\.md'"),
        ("q.csv", "question\na?\n", {"question": "qestion"}, "there is no column 'qestion'; there are: question"),
        ("q.csv", "question\na?\n", {"anwsers": "question"}, "is no known part; did you mean 'answers'"),
        ("q.xlsx", "no workbook", None, r"q\.xlsx: is no XLSX workbook"),
    ],
)
def test_what_is_wrong_is_told(
    asked: Callable[..., Outcome], name: str, data: str, columns: dict[str, Any] | None, problem: str
) -> None:
    with pytest.raises(InvalidInputError, match=problem):
        asked(name, data, columns)


def test_a_table_with_a_fault_is_found_by_the_check(tmp_path: Path) -> None:
    (tmp_path / "documents").mkdir()
    (tmp_path / "documents" / "a.md").write_text("x")
    (tmp_path / "q.csv").write_text("question\n\n")
    settings = {"path": str(tmp_path / "documents"), "questions": str(tmp_path / "q.csv")}
    (fault,) = adapters.make(ComponentSpec("folder", settings)).check()
    assert "has no rows" in fault.problem


def test_guessed_columns_are_told_before_anything_is_prepared(tmp_path: Path) -> None:
    (tmp_path / "documents").mkdir()
    (tmp_path / "q.csv").write_text("Query,Gold,shelf\na?,b,c\n")
    settings = {"path": str(tmp_path / "documents"), "questions": str(tmp_path / "q.csv")}

    def told(columns: dict[str, Any] | None) -> tuple[str, ...]:
        return decisions(BenchmarkChoice(ComponentSpec("folder", {**settings, "columns": columns})), Settings())

    assert told(None) == ("question is Query", "answers is Gold", "metadata is shelf")
    assert "question is Query" not in told({"question": "Query"})
