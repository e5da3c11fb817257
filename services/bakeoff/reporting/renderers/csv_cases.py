"""All scores as CSV."""

from __future__ import annotations

import csv
import io

from bakeoff.reporting.case_table import COLUMNS, rows
from bakeoff.reporting.files import CSV_FILE
from bakeoff.reporting.material import Finished
from bakeoff.reporting.registries import renderers
from bakeoff.reporting.renderer import RenderedFile


class _Lines(io.StringIO):
    """Text of rows that are written one at a time, each ended by a line feed."""

    def write(self, row: str, /) -> int:
        """Write a row."""
        return super().write(row.removesuffix("\r\n") + "\n")


class CsvRenderer:
    """Writes `cases.csv`."""

    def render(self, finished: Finished) -> RenderedFile:
        """Return a row for each score; numbers read back as they were, an absent value is empty."""
        text = _Lines(newline="")
        # With an end of line of both marks, a field that has one of them is quoted.
        writer = csv.writer(text, lineterminator="\r\n")
        writer.writerow(COLUMNS)
        writer.writerows(rows(finished.material))
        return RenderedFile(CSV_FILE, "text/csv; charset=utf-8", text.getvalue().encode())


@renderers.register("csv")
def csv_cases() -> CsvRenderer:
    """Write a row for each benchmark, case, entrant and metric as CSV (RFC 4180, UTF-8)."""
    return CsvRenderer()
