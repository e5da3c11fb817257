"""Where chunks lie in their document as its reader would say it: printed pages, and parts of tables, by columns."""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from bakeoff.domain.answer import Span, TablePlace
from bakeoff.knowledge.chunking import Chunk
from bakeoff.knowledge.indexing import Arrays
from bakeoff.knowledge.joined_texts import JoinedTexts, TextColumn
from bakeoff.knowledge.parsing import ParsedDocument
from bakeoff.knowledge.structure import HEADER, Table

Part = tuple[int, int, int, int]
"""First row, one past the last, first column, one past the last."""
WIDTH = 5
"""Numbers of a stored part: the table's, and a Part."""


class PlaceWriter:
    """Collects the places of chunks; takes nearly nothing for documents without page labels and tables."""

    def __init__(self) -> None:
        """Begin without chunks."""
        self._labels: dict[str, int] = {"": 0}
        self._chunk_labels = array("i")
        self._table_ids = JoinedTexts()
        self._names = JoinedTexts()
        self._first_names = array("q", [0])
        self._parts = array("i")
        self._first_parts = array("q", [0])

    def add(self, parsed: ParsedDocument, chunks: Sequence[Chunk], pages: Sequence[Chunk]) -> None:
        """Add a document's chunks with the pages that each touches."""
        known = self._labels
        labels = parsed.page_labels
        self._chunk_labels.extend(
            known.setdefault(label_of(page, labels) if labels else "", len(known)) for page in pages
        )
        if not parsed.tables:
            self._first_parts.extend([self._first_parts[-1]] * len(chunks))
            return
        found: list[list[int]] = [[] for _ in chunks]
        for table in parsed.tables:
            for chunk, part in parts_of(table, chunks):
                found[chunk].extend((len(self._table_ids.ends), *part))
            self._table_ids.add(table.table_id)
            for name in table.columns:
                self._names.add(name)
            self._first_names.append(len(self._names.ends))
        for numbers in found:
            self._parts.extend(numbers)
            self._first_parts.append(len(self._parts) // WIDTH)

    def arrays(self) -> Arrays:
        """Return the places as columns; none where there are neither labels nor tables."""
        arrays: dict[str, NDArray[np.generic]] = {}
        if len(self._labels) > 1:
            labels = JoinedTexts()
            for label in self._labels:
                labels.add(label)
            arrays.update(labels.arrays("label"))
            arrays["chunk_labels"] = np.frombuffer(self._chunk_labels, np.int32)
        if self._parts:
            arrays.update({**self._table_ids.arrays("table_id"), **self._names.arrays("table_name")})
            arrays["table_first_names"] = np.frombuffer(self._first_names, np.int64)
            arrays["table_parts"] = np.frombuffer(self._parts, np.int32).reshape(-1, WIDTH)
            arrays["chunk_first_parts"] = np.frombuffer(self._first_parts, np.int64)
        return arrays


class Places:
    """The places of the chunks of a knowledge base that is open."""

    def __init__(self, arrays: Arrays) -> None:
        """Take what a PlaceWriter gave; the columns that are not there are those of documents without places."""
        self.labelled = "chunk_labels" in arrays
        self.tabular = "table_parts" in arrays
        if self.labelled:
            self._labels = TextColumn(arrays, "label")
            self._chunk_labels = arrays["chunk_labels"]
        if self.tabular:
            self._table_ids, self._names = TextColumn(arrays, "table_id"), TextColumn(arrays, "table_name")
            self._first_names = arrays["table_first_names"]
            self._parts = arrays["table_parts"]
            self._first_parts = arrays["chunk_first_parts"]

    def label(self, chunk: int) -> str:
        """Return what is printed on a chunk's page or pages; empty when not known."""
        return self._labels[int(self._chunk_labels[chunk])] if self.labelled else ""

    def tables(self, chunk: int) -> tuple[TablePlace, ...]:
        """Return the parts of tables that a chunk holds."""
        if not self.tabular:
            return ()
        parts = self._parts[self._first_parts[chunk] : self._first_parts[chunk + 1]]
        return tuple(self._place(*part) for part in parts.tolist())

    def _place(self, table: int, first_row: int, end_row: int, first: int, end: int) -> TablePlace:
        begin, stop = int(self._first_names[table]), int(self._first_names[table + 1])
        names = tuple(self._names[place] for place in range(begin + first, min(begin + end, stop)))
        return TablePlace(self._table_ids[table], Span(first_row, end_row), Span(first, end), names)


def label_of(pages: Chunk, labels: Sequence[str]) -> str:
    """Return the printed label of the first of some pages, and of the last when it is another."""
    first, last = pages[0], pages[1] - 1
    if not 0 <= first <= last < len(labels):
        return ""
    if first == last or not (labels[first] and labels[last]):
        return labels[first] or labels[last]
    return f"{labels[first]}–{labels[last]}"


def parts_of(table: Table, chunks: Sequence[Chunk]) -> list[tuple[int, Part]]:
    """Return the chunks that touch a table by their numbers, each with the part of the table that it holds."""
    whole = table.span
    reaches = list(accumulate((stop for _, stop in chunks), max))
    starts = [row.start for row in table.rows]
    stops = [row.stop for row in table.rows]
    width = max(len(row.cells) for row in table.rows)
    found = []
    for chunk in range(bisect_right(reaches, whole.start), len(chunks)):
        start, stop = chunks[chunk]
        if start >= whole.stop:
            break
        first, last = bisect_right(stops, start), bisect_left(starts, stop)
        if first >= last:
            continue
        columns = _columns(table.rows[first].cells, start, stop) if last - first == 1 else (0, width)
        numbers = [row.number for row in table.rows[first:last] if row.number != HEADER]
        rows = (numbers[0], numbers[-1] + 1) if numbers else (0, 0)
        found.append((chunk, (*rows, *columns)))
    return found


def _columns(cells: Sequence[int], start: int, stop: int) -> Chunk:
    """Return the columns of one row that some characters touch."""
    return max(0, bisect_right(cells, start) - 1), bisect_left(cells, stop)
