"""Whether a passage is a piece of evidence: by its place, its words, or both; and if not, what does not fit."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from bakeoff.domain.answer import Passage, Span, TablePlace
from bakeoff.domain.benchmark import Evidence
from bakeoff.domain.page_places import page_indexes
from bakeoff.scoring.normalisation import squeezed

SHORTEST_PASSAGE = 20
"""Characters from which on a passage inside the evidence's text counts: shorter ones would match by accident."""
BETWEEN_LABELS = "–"
"""Stands between the labels of a passage's first and last page."""


def _key(passage: Passage, value: object) -> bool:
    return passage.raw_key == value


def _key_prefix(passage: Passage, value: object) -> bool:
    prefix = str(value)
    return bool(prefix) and (passage.raw_key == prefix or passage.raw_key.startswith(prefix.rstrip("/") + "/"))


def _page(key: str) -> Callable[[Passage, object], bool]:
    def on_page(passage: Passage, value: object) -> bool:
        return any(_within(passage.pages, page) for page in page_indexes({key: value}))

    return on_page


def _page_label(passage: Passage, value: object) -> bool:
    label = str(value).strip()
    return bool(label) and label in (passage.page_label, *passage.page_label.split(BETWEEN_LABELS))


def _within(span: Span | None, number: object) -> bool:
    return span is not None and isinstance(number, int) and span.start <= number < span.stop


PLACES: dict[str, Callable[[Passage, object], bool]] = {
    "document_id": lambda passage, value: passage.document_id == str(value),
    "document_ids": lambda passage, value: passage.document_id in map(str, _each(value)),
    "source_key": _key,
    "object_key": _key,
    "source_key_prefix": _key_prefix,
    "page_index": _page("page_index"),
    "page_number": _page("page_number"),
    "page_label": _page_label,
    "chunk_id": lambda passage, value: passage.chunk_id in _each(value),
}
"""The parts of a locator that are compared with a passage's own place. Pages: `page_index` counts from 0,
`page_number` from 1, `page_label` is what is printed."""


def _table(place: TablePlace, value: object) -> bool:
    return place.table_id == str(value)


def _row(place: TablePlace, value: object) -> bool:
    return any(_within(place.rows, row) for row in _each(value))


def _column(place: TablePlace, value: object) -> bool:
    names = set(map(squeezed, place.names))
    return any(
        squeezed(column) in names if isinstance(column, str) else _within(place.columns, column)
        for column in _each(value)
    )


CELLS: dict[str, Callable[[TablePlace, object], bool]] = {"table_id": _table, "row_index": _row, "column": _column}
"""The parts of a locator that are compared with the tables of a passage; all must fit the same table. Rows count from
0 without the row that names the columns, columns from 0 unless they are named."""


def _each(value: object) -> Sequence[object]:
    return tuple(value) if isinstance(value, list | tuple) else (value,)


@dataclass(frozen=True)
class Wanted:
    """A piece of evidence, prepared for being compared with many passages."""

    evidence: Evidence
    locator: Mapping[str, object] = field(init=False)
    """The parts that can be compared."""
    ignored: tuple[str, ...] = field(init=False)
    """The parts that cannot: they say where to look, in the benchmark's own terms."""
    words: str = field(init=False)
    """The evidence's text with case, width and white space folded; empty when it is not told by its words."""

    def __post_init__(self) -> None:
        """Tell what can be compared from what cannot."""
        known = {key: value for key, value in self.evidence.locator.items() if key in PLACES or key in CELLS}
        ignored = tuple(key for key in self.evidence.locator if key not in known)
        object.__setattr__(self, "locator", known)
        object.__setattr__(self, "ignored", ignored)
        object.__setattr__(self, "words", squeezed(self.evidence.text))

    @property
    def by_reference(self) -> bool:
        """Whether only the reference id can tell the evidence."""
        return bool(self.evidence.reference_id) and not self.evidence.locator and not self.words

    @property
    def comparable(self) -> bool:
        """Whether a passage can be compared with the evidence at all."""
        return bool(self.locator or self.words or self.by_reference)


@dataclass(frozen=True)
class Seen:
    """A passage, prepared for being compared with many pieces of evidence."""

    passage: Passage

    @cached_property
    def words(self) -> str:
        """Its text with case, width and white space folded; empty when it was not kept."""
        return squeezed(self.passage.text or "")


@dataclass(frozen=True, slots=True)
class Fit:
    """What of a piece of evidence fits a passage."""

    by: tuple[str, ...] = ()
    """Parts of the locator, then `text`, or `reference_id` alone."""
    unfit: tuple[str, ...] = ()
    """Those that do not fit."""

    @property
    def found(self) -> bool:
        """Whether the passage is the evidence: something fits and nothing does not."""
        return bool(self.by) and not self.unfit


def fit(wanted: Wanted, seen: Seen) -> Fit:
    """Compare a piece of evidence with a passage.

    Every part of the locator that can be compared must fit, and the text too when there is one. What a passage does
    not know, such as the page of a document without pages, does not fit. The reference id is compared, with document
    and chunk ids, only when there is neither locator nor text.

    Args:
        wanted: Comparable evidence.
        seen: A passage with its text when the evidence has one.
    """
    passage = seen.passage
    if wanted.by_reference:
        ids = (passage.document_id, passage.chunk_id)
        return Fit(("reference_id",)) if wanted.evidence.reference_id in ids else Fit(unfit=("reference_id",))
    unfit = {key for key, value in wanted.locator.items() if key in PLACES and not PLACES[key](passage, value)}
    unfit |= _unfit_cells(wanted.locator, passage.tables)
    parts = list(wanted.locator)
    if wanted.words:
        parts.append("text")
        if not (wanted.words in seen.words or _cut_out(seen.words, wanted.words)):
            unfit.add("text")
    return Fit(tuple(part for part in parts if part not in unfit), tuple(part for part in parts if part in unfit))


def _unfit_cells(locator: Mapping[str, object], tables: Sequence[TablePlace]) -> set[str]:
    asked = {key: value for key, value in locator.items() if key in CELLS}
    if not asked:
        return set()
    each = [{key for key, value in asked.items() if not CELLS[key](place, value)} for place in tables]
    return min(each, key=len, default=set(asked))


def _cut_out(found: str, wanted: str) -> bool:
    return len(found) >= SHORTEST_PASSAGE and found in wanted
