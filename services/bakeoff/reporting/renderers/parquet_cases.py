"""All scores as Parquet."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.parquet as pq

from bakeoff.reporting.case_table import COLUMNS, rows
from bakeoff.reporting.files import PARQUET_FILE
from bakeoff.reporting.material import Finished
from bakeoff.reporting.registries import renderers
from bakeoff.reporting.renderer import RenderedFile

WORD = pa.dictionary(pa.int32(), pa.string())
SCHEMA = pa.schema([(name, pa.float64() if name == "value" else WORD) for name in COLUMNS])


class ParquetRenderer:
    """Writes `cases.parquet`."""

    def render(self, finished: Finished) -> RenderedFile:
        """Return the rows of the CSV; an absent value is null."""
        columns = list(zip(*rows(finished.material), strict=True)) or [()] * len(COLUMNS)
        arrays = [
            pa.array(column, type=pa.float64())
            if name == "value"
            else pa.array(column, pa.string()).dictionary_encode()
            for name, column in zip(COLUMNS, columns, strict=True)
        ]
        sink = pa.BufferOutputStream()
        pq.write_table(pa.Table.from_arrays(arrays, schema=SCHEMA), sink, compression="zstd")
        return RenderedFile(PARQUET_FILE, "application/vnd.apache.parquet", sink.getvalue().to_pybytes())


@renderers.register("parquet")
def parquet_cases() -> ParquetRenderer:
    """Write a row for each benchmark, case, entrant and metric as Parquet."""
    return ParquetRenderer()
