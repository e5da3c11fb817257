"""Contexts that a case brings, and passages that were retrieved, as text for a prompt."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from bakeoff.domain.answer import Passage
from bakeoff.inference.prompting.plain_values import text_of, understood


def normalise_context(value: object) -> str | None:
    """Return a context as one text; None when there is none.

    Text is stripped; of a list the items are stripped, blank ones dropped, the others joined by line breaks. A mapping
    becomes a `key: value` line for each entry. Tuples, arrays and JSON strings are what they stand for.

    Source: the prior answer generator, for None, text, numbers and lists; the guide names the differences.
    """
    return "\n".join(context_items(value)) or None


def context_items(value: object) -> tuple[str, ...]:
    """Return the single contexts of a value, stripped, without blank ones; empty when there is none."""
    known = understood(value)
    if isinstance(known, list):
        if isinstance(value, str) and not _is_written_list(known):
            # A text that happens to be JSON, such as "[1]", stays the text that it is.
            known = [value]
        items = [_item(understood(item) if not isinstance(item, str) else item) for item in known]
    elif isinstance(known, Mapping):
        items = [_item(known)]
    else:
        items = [text_of(known)]
    return tuple(item.strip() for item in items if item.strip())


def numbered(texts: Sequence[str]) -> str:
    """Return texts as `[1] text`, with an empty line between them; empty when there are none."""
    return "\n\n".join(f"[{number}] {text}" for number, text in enumerate(texts, start=1))


def numbered_passages(passages: Sequence[Passage]) -> str:
    """Return passages as `[1] (document id) text` in their order, with an empty line between them."""
    return numbered([f"({passage.document_id}) {(passage.text or '').strip()}" for passage in passages])


def _is_written_list(items: list[object]) -> bool:
    return all(item is None or isinstance(item, str) for item in items)


def _item(value: object) -> str:
    if isinstance(value, Mapping):
        return "\n".join(f"{key}: {text_of(item)}" for key, item in value.items())
    return "\n".join(context_items(value)) if isinstance(value, list) else text_of(value)
