"""Where a passage is in its document, in words; pages are counted from 1, as a viewer shows them."""

from __future__ import annotations

from bakeoff.domain.answer import Passage, Span, TablePlace


def passage_place(passage: Passage) -> str:
    """Return a passage's characters, pages, printed page and tables."""
    parts = [f"characters {passage.chars.start}–{passage.chars.stop} of its text"]
    if passage.pages:
        parts.append(page_words(passage.pages))
    if passage.page_label:
        parts.append(f"printed as {passage.page_label}")
    return ", ".join([*parts, *map(_table, passage.tables)])


def page_words(pages: Span | None) -> str:
    """Return pages, counted from 1; `no pages` when there are none."""
    if pages is None:
        return "no pages"
    return f"page {pages.start + 1}" if pages.stop - pages.start == 1 else f"pages {pages.start + 1}–{pages.stop}"


def _table(table: TablePlace) -> str:
    names = f" ({', '.join(table.names)})" if table.names else ""
    return f"table {table.table_id}, rows from 0: {table.rows.start}–{table.rows.stop}{names}"
