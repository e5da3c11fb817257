"""A copy of a file of rows with answers beside them: JSON lines, CSV or Parquet, all else as it was."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bakeoff.client.whole_files import write_whole
from bakeoff.domain.answer import CaseAnswer
from bakeoff.domain.errors import InvalidInputError
from bakeoff.preparation.csv_rows import LONGEST_VALUE
from bakeoff.preparation.parquet_rows import ROWS_PER_BATCH
from bakeoff.preparation.row import NumberText
from bakeoff.preparation.row_files import FORMATS, read_rows
from bakeoff.preparation.source_files import SourceFile

if TYPE_CHECKING:  # takes a tenth of a second, and only Parquet needs it
    import pyarrow

FORMATS_WRITTEN = ("jsonl", "csv", "parquet")


@dataclass(frozen=True, slots=True)
class NewColumns:
    """What the copy says of each row beyond what the file says."""

    output_key: str
    """Column of the answers."""
    error_key: str
    """Column of the reasons why there is none; empty text where all is well."""
    answers: Mapping[int, CaseAnswer]
    """By number of the row, from 1; a row that is not among them keeps what it has."""

    def of(self, number: int, there: object) -> dict[str, object]:
        """Return both columns of a row that had an answer, or None, before."""
        answer = self.answers.get(number)
        if answer is None:
            return {self.output_key: there, self.error_key: ""}
        failure = answer.failure
        error = f"{failure.kind.value}: {failure.reason}" if failure else ""
        return {self.output_key: answer.text, self.error_key: error}


def check_copy(file: SourceFile, path: Path) -> None:
    """Check that a copy can be written as a file, before work is done for it.

    Raises:
        InvalidInputError: it is the file itself, of another format, or of one that cannot be written.
    """
    known = FORMATS.get(file.ending)
    if known not in FORMATS_WRITTEN:
        allowed = ", ".join(ending for ending, name in FORMATS.items() if name in FORMATS_WRITTEN)
        raise InvalidInputError(f"{file.shown!r} is of a format that no copy can be written of; allowed: {allowed}")
    if FORMATS.get(path.suffix.lower()) != known:
        raise InvalidInputError(f"{str(path)!r} must have the ending of {file.shown!r}, {file.ending}")
    if path.resolve() == file.path.resolve():
        raise InvalidInputError(f"{str(path)!r} is the file itself; the answers go into a copy")


def write_copy(file: SourceFile, path: Path, columns: NewColumns) -> Path:
    """Write the copy; it appears whole or not at all.

    Raises:
        InvalidInputError: the path cannot be written.
    """
    match FORMATS[file.ending]:
        case "csv":
            return write_whole(path, _csv(file, columns))
        case "parquet":
            return write_whole(path, _parquet(file, columns))
        case _:
            return write_whole(path, _json_lines(file, columns))


def _json_lines(file: SourceFile, columns: NewColumns) -> Iterator[bytes]:
    for row in read_rows(file):
        values = {**row.values, **columns.of(row.number, row.values.get(columns.output_key))}
        # Half a surrogate pair is no UTF-8, but may be spelled in JSON.
        yield f"{_json(values)}\n".encode("utf-8", "backslashreplace")


def _json(value: object) -> str:
    """Return a value as JSON; numbers as their file spells them."""
    if isinstance(value, NumberText):
        return str(value)
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_json(str(name))}: {_json(held)}" for name, held in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_json, value)) + "]"
    return json.dumps(value, ensure_ascii=False)


def _csv(file: SourceFile, columns: NewColumns) -> Iterator[bytes]:
    delimiter = "\t" if file.ending == ".tsv" else ","
    csv.field_size_limit(LONGEST_VALUE)
    with file.path.open(encoding="utf-8-sig", newline="") as opened:
        records = (record for record in csv.reader(opened, delimiter=delimiter, strict=True) if record)
        head = next(records, None)
        if head is None:
            return
        new = [name for name in (columns.output_key, columns.error_key) if name not in head]
        names = [*head, *new]
        yield _line(names, delimiter)
        for number, record in enumerate(records, start=1):
            values: list[object] = [*record, *("" for _ in new)]
            there = record[head.index(columns.output_key)] if columns.output_key in head else None
            for name, value in columns.of(number, there).items():
                values[names.index(name)] = "" if value is None else value
            yield _line(values, delimiter)


def _line(values: list[Any], delimiter: str) -> bytes:
    text = io.StringIO()
    csv.writer(text, delimiter=delimiter, lineterminator="\n").writerow(values)
    return text.getvalue().encode()


def _parquet(file: SourceFile, columns: NewColumns) -> Iterator[bytes]:
    import pyarrow
    import pyarrow.parquet

    written = io.BytesIO()  # compressed, and all answers are in memory anyway
    with pyarrow.parquet.ParquetFile(file.path) as opened:
        replaced = (columns.output_key, columns.error_key)
        fields = [field for field in opened.schema_arrow if field.name not in replaced]
        fields += [pyarrow.field(name, pyarrow.string()) for name in replaced]
        schema = pyarrow.schema(fields, opened.schema_arrow.metadata)
        first = 1
        with pyarrow.parquet.ParquetWriter(written, schema) as writer:
            for batch in opened.iter_batches(ROWS_PER_BATCH):
                writer.write_batch(_batch(batch, schema, columns, first))
                first += batch.num_rows
    yield written.getvalue()


def _batch(batch: pyarrow.RecordBatch, schema: pyarrow.Schema, columns: NewColumns, first: int) -> pyarrow.RecordBatch:
    import pyarrow

    key = columns.output_key
    there = batch.column(key).to_pylist() if key in batch.schema.names else [None] * batch.num_rows
    said = [columns.of(first + row, None if held is None else str(held)) for row, held in enumerate(there)]
    new = {name: pyarrow.array([each[name] for each in said], pyarrow.string()) for name in (key, columns.error_key)}
    arrays = [new[name] if name in new else batch.column(name) for name in schema.names]
    return pyarrow.record_batch(arrays, schema)
