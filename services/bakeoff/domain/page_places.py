"""Pages by their place in a document: which ones evidence names, and how one is called in a ranking of pages."""

from __future__ import annotations

from collections.abc import Mapping

FIRST = {"page_index": 0, "page_number": 1}
"""What a document's first page is called under each key of a locator."""


def page_indexes(locator: Mapping[str, object]) -> tuple[int, ...]:
    """Return the pages that a locator names, counted from 0, in its order.

    `page_index` counts from 0 and `page_number` from 1; either is a number, or a list of numbers of which any is
    right. What is no whole number, or before the first page, names none.
    """
    pages: list[int] = []
    for key, first in FIRST.items():
        value = locator.get(key)
        for each in value if isinstance(value, list | tuple) else (value,):
            number = _whole(each)
            if number is not None and number >= first and number - first not in pages:
                pages.append(number - first)
    return tuple(pages)


def _whole(value: object) -> int | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, str) and value.strip().isascii() and value.strip().isdigit():
        return int(value)
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value if isinstance(value, int) else None


def page_name(document_id: str, page: int) -> str:
    """Return how a page is called in rankings of pages: `<document id>:p<page from 0, five digits>`; injective."""
    return f"{document_id}:p{page:05d}"
