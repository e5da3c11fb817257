"""Chunker: rows of tables."""

from __future__ import annotations

from bisect import bisect_right
from typing import Annotated

from bakeoff.knowledge.chunking import Chunk, Chunker
from bakeoff.knowledge.parsing import ParsedDocument
from bakeoff.knowledge.registries import chunkers
from bakeoff.knowledge.structural_cuts import Cutter, segments
from bakeoff.knowledge.structure import HEADER, Table
from bakeoff.runtime.registry import Is


@chunkers.register("table_rows")
def table_rows(
    *,
    rows: Annotated[int, Is("rows of a chunk; the row that names the columns comes on top", minimum=1)] = 1,
    max_tokens: Annotated[int, Is("tokens of a chunk at most, in tables and beside them", minimum=1)] = 200,
) -> Chunker:
    """Cut tables after every so many rows, and the text beside them by structure.

    A chunk's passage names the columns of its rows, also where the row that names them is in another chunk.
    """

    def chunk(document: ParsedDocument) -> list[Chunk]:
        text = document.text
        cuts = {0, len(text)}
        for table in _outermost(document.tables):
            cuts |= {table.span.start, table.span.stop, *_begins(table, rows)}
        cutter = Cutter(text, max_tokens, document.headings)
        return [piece for part in segments(text, cuts) for piece in cutter.cut(*part)]

    return chunk


def _begins(table: Table, rows: int) -> list[int]:
    """Return where a chunk of a table begins; the row that names the columns goes with the first rows."""
    first = 1 if table.rows[0].number == HEADER else 0
    return [row.start for row in table.rows[first + rows :: rows]]


def _outermost(tables: tuple[Table, ...]) -> list[Table]:
    """Return the tables that are in no other one."""
    found: list[Table] = []
    stops: list[int] = []
    for table in sorted(tables, key=lambda each: (each.span.start, -each.span.stop)):
        if bisect_right(stops, table.span.start) == len(stops):
            found.append(table)
            stops.append(table.span.stop)
    return found
