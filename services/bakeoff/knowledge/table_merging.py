"""One table of many lots: each column a lot at a time, so that no column is ever whole in memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from bakeoff.knowledge.arrays import Blocks
from bakeoff.knowledge.indexing import Arrays
from bakeoff.knowledge.places import WIDTH
from bakeoff.knowledge.tables import WHOLE

Column = NDArray[np.generic]


@dataclass(frozen=True, slots=True)
class Joining:
    """How a column of many lots becomes one."""

    moved_by: str = ""
    """The column whose rows in the lots before are added, when its numbers are places in that column."""
    edges: bool = False
    """Whether it holds the edges between things: one more than there are, the first of them 0."""
    first_only: bool = False
    """Whether only the first number of a row is moved."""
    absent: Callable[[int], Column] | None = None
    """What a lot without the column has in its stead, by its number of chunks; None when every lot has it."""


def _none(dtype: type[np.generic], *width: int) -> Callable[[int], Column]:
    return lambda chunks: np.zeros((0, *width), dtype)


JOININGS: Mapping[str, Joining] = {
    "texts": Joining(),
    "first_chunks": Joining("chunk_chars", edges=True),
    "chunk_chars": Joining(),
    "chunk_bytes": Joining("texts"),
    "chunk_pages": Joining(absent=lambda chunks: np.full((chunks, 2), WHOLE, np.int32)),
    # The first label of every lot is the empty one.
    "labels": Joining(absent=_none(np.uint8)),
    "label_ends": Joining("labels", absent=lambda chunks: np.zeros(1, np.int64)),
    "chunk_labels": Joining("label_ends", absent=lambda chunks: np.zeros(chunks, np.int32)),
    "table_ids": Joining(absent=_none(np.uint8)),
    "table_id_ends": Joining("table_ids", absent=_none(np.int64)),
    "table_names": Joining(absent=_none(np.uint8)),
    "table_name_ends": Joining("table_names", absent=_none(np.int64)),
    "table_first_names": Joining("table_name_ends", edges=True, absent=lambda chunks: np.zeros(1, np.int64)),
    "table_parts": Joining("table_id_ends", first_only=True, absent=_none(np.int32, WIDTH)),
    "chunk_first_parts": Joining("table_parts", edges=True, absent=lambda chunks: np.zeros(chunks + 1, np.int64)),
}
"""How each column of a TableWriter is joined."""


def merged(lots: Sequence[Arrays]) -> dict[str, Blocks]:
    """Return the columns of lots as those of all their documents, in order.

    Args:
        lots: What a TableWriter gave for each; at least one.
    """
    names = dict.fromkeys(name for lot in lots for name in lot)
    return {name: _joined(name, JOININGS[name], lots) for name in names}


def _joined(name: str, joining: Joining, lots: Sequence[Arrays]) -> Blocks:
    # One lot's column at a time: each may be the map of a file.
    like = next(lot[name] for lot in lots if name in lot)
    if not any(len(lot[name]) for lot in lots if name in lot):
        return Blocks(like.dtype, like.shape, tuple)
    skipped = 1 if joining.edges else 0
    rows = sum(_rows(lot, name) - skipped for lot in lots) + skipped
    offsets = [0, *accumulate(_rows(lot, joining.moved_by) for lot in lots)] if joining.moved_by else [0] * len(lots)

    def blocks() -> Iterator[Column]:
        if skipped:
            yield np.zeros(1, like.dtype)
        for lot, offset in zip(lots, offsets, strict=False):
            yield _moved(_column(lot, name)[skipped:], offset, first_only=joining.first_only)

    return Blocks(like.dtype, (rows, *like.shape[1:]), blocks)


def _moved(column: Column, offset: int, *, first_only: bool) -> Column:
    if not offset:
        return column
    moved = np.array(column, np.int64)
    if first_only:
        moved[:, 0] += offset
    else:
        moved += offset
    return moved


def _column(lot: Arrays, name: str) -> Column:
    """Return a lot's column, or what stands for it where the lot has none."""
    absent = JOININGS[name].absent
    if absent is not None and not len(lot.get(name, ())):
        return absent(len(lot["chunk_chars"]))
    return lot[name]


def _rows(lot: Arrays, name: str) -> int:
    return len(_column(lot, name))
