"""Exams in one CSV file a subject and split: question, four choices, and the letter of the right one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import msgspec

from bakeoff.domain.benchmark import Case
from bakeoff.preparation.choice_cases import choice_case, index_of_letter, index_within
from bakeoff.preparation.findings import Findings
from bakeoff.preparation.row import Row
from bakeoff.preparation.row_files import read_rows
from bakeoff.preparation.source_files import SourceFile

LETTERS = ("A", "B", "C", "D")


class _Listed(msgspec.Struct):
    """A row whose choices are a list, as in the Parquet files."""

    question: str
    choices: list[str]
    answer: int | str
    subject: str = ""


@dataclass(frozen=True, slots=True)
class SubjectTables:
    """The layout of MMLU and of exams that are modelled on it."""

    question: str
    """Column of the question; those of the choices are A to D."""
    answer: str
    """Column of the letter."""
    columns: tuple[str, ...] = ()
    """Names of the columns when the files have no header; empty when they have one."""

    def patterns(self, split: str) -> Sequence[str]:
        """Return the globs for the files of a split, one a subject."""
        return (f"{split}/*.csv", f"*_{split}.csv", f"all/{split}-*.parquet", f"{split}-*.parquet")

    def cases(self, file: SourceFile, split: str, findings: Findings) -> Iterator[Case]:
        """Yield the questions of a subject in the file's order."""
        subject = file.stem.removesuffix(f"_{split}")
        for row in read_rows(file, columns=self.columns):
            if file.ending == ".parquet":
                listed = row.convert(_Listed)
                right = index_within(row, "answer", listed.answer, len(listed.choices))
                name = listed.subject or subject
                case_id = f"{split}/{file.stem}/{row.number}"
                yield choice_case(case_id, listed.question, listed.choices, right, labels={"subject": name})
                continue
            choices = [self._text(row, letter) for letter in LETTERS]
            right = index_of_letter(row, self.answer, row.values.get(self.answer), len(choices))
            question = self._text(row, self.question)
            yield choice_case(f"{split}/{subject}/{row.number}", question, choices, right, labels={"subject": subject})

    def _text(self, row: Row, column: str) -> str:
        value = row.values.get(column)
        if not isinstance(value, str):
            raise row.fault(column, f"is missing; there are: {', '.join(row.values)}")
        return value
