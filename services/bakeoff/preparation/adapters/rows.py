"""Rows of questions in JSON lines, JSON, CSV or Parquet, with the columns named."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Annotated, Any

from bakeoff.domain.benchmark import Case
from bakeoff.domain.component import ComponentSpec
from bakeoff.domain.errors import InvalidInputError, Violation
from bakeoff.preparation.findings import Findings
from bakeoff.preparation.protocol import BenchmarkProtocol
from bakeoff.preparation.question_set import About, QuestionSet, table_patterns
from bakeoff.preparation.registries import adapters
from bakeoff.preparation.row_cases import RowReader
from bakeoff.preparation.row_choices import LabelBase
from bakeoff.preparation.row_files import read_rows
from bakeoff.preparation.row_keys import EvalType, row_keys
from bakeoff.preparation.source_files import SourceFile, file_name
from bakeoff.runtime.registry import Is

FAULTS_SHOWN = 50


@adapters.register("rows")
def rows(
    *,
    path: Annotated[str, Is("file (.jsonl, .json, .csv, .tsv, .parquet), folder, archive or address", path=True)],
    eval_type: Annotated[EvalType, Is("what is asked, and how answers are scored")] = "key2_qa",
    keys: Annotated[
        dict[str, Any] | None,
        Is(
            "column by part: id, text, question, context, choices, target, targets, label, labels, better, rejected; "
            "a column, a path such as answers.0.text, or a list of columns; null means: each under its own name"
        ),
    ] = None,
    split: Annotated[str, Is("name of the split, and of the files of a folder")] = "test",
    examples: Annotated[str | None, Is("file with the rows for in-context examples", path=True)] = None,
    expected: Annotated[bool, Is("whether rows say what is expected; false: they are only to be answered")] = True,
    label_base: Annotated[
        LabelBase, Is("what labels are: letters, numbers from 0 or 1, texts; auto takes all but numbers from 1")
    ] = "auto",
    separator: Annotated[
        str | None, Is("between targets in one text; null: the first of || | ; that occurs; empty: none")
    ] = None,
    delimiter: Annotated[str | None, Is("between values of CSV; null: a comma, in a .tsv a tab")] = None,
) -> BenchmarkProtocol:
    """Rows of questions, one of six types of evaluation.

    Needed columns: `text` for key1_text_score; `question` and `target` for key2_qa, `targets` for key2_q_ma;
    `question`, `choices` and `label` for key3_q_choices_a, `labels` for key3_q_choices_as; `question`, `better` and
    `rejected` for key3_q_a_rejected. Any may have `context` and `id`; without an id a row is named after its file and
    number.

    Raises:
        InvalidInputError: a part of `keys` is not known, or the delimiter is no single character.
    """
    if delimiter is not None and len(delimiter) != 1:
        raise InvalidInputError(
            "rows cannot be made", [Violation("delimiter", f"must be one character: {delimiter!r}")]
        )
    reader = RowReader(row_keys(eval_type, keys or {}, expected=expected), label_base, separator)
    about = About(
        name=PurePosixPath(file_name(path)).stem or "rows",
        evaluators=tuple(ComponentSpec(eval_type, {"mode": mode}) for mode in ("strict", "official")),
        task_type=eval_type,
        example_split="examples" if examples else "",
        metadata={"eval_type": eval_type},
    )
    return QuestionSet(about, _Layout(reader, delimiter), path, split, examples)


@dataclass(frozen=True, slots=True)
class _Layout:
    reader: RowReader
    delimiter: str | None

    def patterns(self, split: str) -> Sequence[str]:
        return table_patterns(split, f"*[-_]{split}")

    def cases(self, file: SourceFile, split: str, findings: Findings) -> Iterator[Case]:
        """Yield the cases; all rows are looked at before the faults are told."""
        faults: list[Violation] = []
        for row in read_rows(file, delimiter=self.delimiter):
            read = self.reader.read(row, findings)
            if isinstance(read, Case):
                if not faults:
                    yield read
                continue
            faults += read
            if row.number == 1 and self.reader.keys.absent(row):
                break  # a column that the first row lacks is named wrongly: no need to say so a thousand times
        if faults:
            more = f" (the first {FAULTS_SHOWN} are shown)" if len(faults) > FAULTS_SHOWN else ""
            message = f"{file.shown!r} has {len(faults):,} {'fault' if len(faults) == 1 else 'faults'}{more}"
            raise InvalidInputError(message, faults[:FAULTS_SHOWN])
