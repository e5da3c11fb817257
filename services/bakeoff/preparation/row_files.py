"""Files of rows, whatever their format: JSON lines, JSON, CSV or Parquet become rows of named values."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from bakeoff.domain.errors import InvalidInputError
from bakeoff.preparation.csv_rows import read_csv
from bakeoff.preparation.json_rows import read_json, read_json_lines
from bakeoff.preparation.parquet_rows import read_parquet
from bakeoff.preparation.row import Row
from bakeoff.preparation.source_files import SourceFile

FORMATS = {
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".json": "json",
    ".txt": "json",  # each article of RACE is a .txt with one JSON object
    ".csv": "csv",
    ".tsv": "csv",
    ".parquet": "parquet",
}
"""Format by the ending of the name."""


def read_rows(file: SourceFile, *, delimiter: str | None = None, columns: Sequence[str] = ()) -> Iterator[Row]:
    """Yield the rows of a file, no more of it in memory than its format needs.

    Args:
        file: JSON lines, JSON (a list of rows, one row, or a mapping whose `data` is a list of them), CSV or Parquet,
            told by the ending of its name.
        delimiter: What stands between the values of a CSV file; None means: a comma, or a tab in a .tsv.
        columns: Names of the columns of a CSV file without a header; empty means that its first row is one.

    Raises:
        InvalidInputError: the format is not known, or a row is broken; says which.
    """
    match FORMATS.get(file.ending):
        case "jsonl":
            return read_json_lines(file)
        case "json":
            return read_json(file)
        case "csv":
            return read_csv(file, delimiter or ("\t" if file.ending == ".tsv" else ","), columns)
        case "parquet":
            return read_parquet(file)
        case _:
            known = ", ".join(FORMATS)
            raise InvalidInputError(f"{file.shown!r} has no ending that tells its format; known: {known}")
