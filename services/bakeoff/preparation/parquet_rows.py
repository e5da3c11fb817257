"""Rows of Parquet files."""

from __future__ import annotations

import base64
import datetime
import decimal
import math
from collections.abc import Iterator, Mapping

from bakeoff.domain.errors import InvalidInputError, Violation
from bakeoff.preparation.row import NumberText, Row
from bakeoff.preparation.source_files import SourceFile

ROWS_PER_BATCH = 1_000


def read_parquet(file: SourceFile) -> Iterator[Row]:
    """Yield the rows of a file, one batch in memory at a time.

    Decimals and other numbers that are not whole keep every digit of theirs; times are in ISO 8601, bytes in base64.

    Raises:
        InvalidInputError: it is no Parquet.
    """
    import pyarrow  # takes a tenth of a second, and most benchmarks need it not
    import pyarrow.parquet

    try:
        with pyarrow.parquet.ParquetFile(file.path) as opened:
            number = 0
            for batch in opened.iter_batches(ROWS_PER_BATCH):
                for values in batch.to_pylist():
                    number += 1
                    yield Row(file, number, None, {name: _plain(value) for name, value in values.items()})
    except pyarrow.ArrowException as error:
        fault = Violation("", f"is no Parquet: {error}", file.shown)
        raise InvalidInputError(f"{file.name} cannot be read", [fault]) from error


def _plain(value: object) -> object:
    """Return a value as JSON types; what is absent or NaN is None."""
    if isinstance(value, float):
        return None if math.isnan(value) else NumberText(repr(value))
    if isinstance(value, decimal.Decimal):
        return NumberText(value)
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, datetime.date | datetime.time):
        return value.isoformat()
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    if value is None or isinstance(value, str | int):
        return value
    return str(value)
