"""The questions of UDA's six subsets: values between bars, with what each subset expects of an answer."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from bakeoff.domain.benchmark import Case, Evidence, Expected, Json
from bakeoff.preparation.csv_rows import read_csv
from bakeoff.preparation.findings import Findings
from bakeoff.preparation.row import Row
from bakeoff.preparation.source_files import SourceFile
from bakeoff.preparation.written_lists import written_list

Subset = Literal["fin", "tat", "paper_tab", "paper_text", "feta", "nq"]
PAGE = re.compile(r"page_([0-9]+)\.pdf")
"""Page, from 1, in the id of a question: ADI/2009/page_49.pdf-1."""
ANSWERS = {
    "fin": ("answer_1",),
    "paper_tab": ("answer_1", "answer_2", "answer_3"),
    "paper_text": ("answer_1", "answer_2", "answer_3"),
    "feta": ("answer",),
    "nq": ("short_answer", "long_answer"),
}


@dataclass(frozen=True, slots=True)
class UdaQuestion:
    """A question and the name of the document that it is about."""

    document: str
    case_id: str
    subset: Subset
    row: Row

    def case(self, words: Sequence[str] = ()) -> Case:
        """Return the question with what is expected.

        Args:
            words: What its evidence says; empty when that is not known, or its page is.

        Raises:
            InvalidInputError: an answer is not what the subset has.
        """
        return _case(self.row, self.subset, words)


def read_uda(file: SourceFile, subset: Subset, findings: Findings) -> Iterator[UdaQuestion]:
    """Yield the questions of a subset in the file's order.

    Raises:
        InvalidInputError: a row has not the columns of its header, or no document or id.
    """
    for row in read_csv(file, "|", mend=True):
        if row.mended:
            message = "rows that a line end within a value had torn apart; they were put together"
            findings.note("mended_row", message, f"{file.name} row {row.number}")
        yield UdaQuestion(_text(row, "doc_name"), _text(row, "q_uid"), subset, row)


def _case(row: Row, subset: Subset, words: Sequence[str]) -> Case:
    case_id, document = _text(row, "q_uid"), _text(row, "doc_name")
    labels, metadata = {}, {}
    value: object = None
    if subset == "tat":
        answers, metadata = _spans(row), {"scale": _plain(row, "answer_scale")}
        labels = {"answer_type": _plain(row, "answer_type")}
        if metadata["scale"]:
            labels["scale"] = metadata["scale"]
    else:
        golds = (_plain(row, column) for column in ANSWERS[subset])
        answers = tuple(dict.fromkeys(gold for gold in golds if gold))
    if subset == "fin":
        value = _computed(row)
    page = PAGE.search(case_id)
    locator: Json = {"document_id": document, "page_index": int(page[1]) - 1} if page else {}
    pages = (Evidence(f"{document} page {page[1]}", locator),) if page else ()
    evidence = (*pages, *(Evidence(document, {"document_id": document}, text) for text in words))
    expected = Expected(answers, evidence, value, dict(metadata))
    return Case(case_id, _text(row, "question"), expected, labels, {"document": document})


def _computed(row: Row) -> object:
    """Return the result of the annotator's program: a number, or yes or no."""
    text = _plain(row, "answer_2")
    try:
        return float(text)
    except ValueError:
        return text or None


def _spans(row: Row) -> tuple[str, ...]:
    text = _plain(row, "answer")
    spans = written_list(text)
    if spans is None:
        raise row.fault("answer", f"must be a list of texts such as ['129'], not {text[:80]!r}")
    return tuple(str(span) for span in spans)


def _text(row: Row, column: str) -> str:
    text = _plain(row, column)
    if not text:
        raise row.fault(column, "must not be empty" if column in row.values else "is missing")
    return text


def _plain(row: Row, column: str) -> str:
    return str(row.values.get(column) or "").strip()
