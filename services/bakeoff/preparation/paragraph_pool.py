"""All paragraphs of a corpus under ids of their own: the title, told apart where two texts share one."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path

from bakeoff.preparation.paragraph_questions import Paragraph, joined
from bakeoff.preparation.record_documents import RecordLine, TextDocument
from bakeoff.preparation.records import read_records
from bakeoff.preparation.row import Row


class ParagraphPool:
    """Knows the id of each paragraph by title and text; of the texts it keeps 8 bytes each."""

    def __init__(self) -> None:
        """Start with none."""
        self._ids: dict[str, dict[bytes, str]] = {}

    @classmethod
    def of_records(cls, corpus: Path) -> ParagraphPool:
        """Return the pool of a corpus of records."""
        pool = cls()
        for record in read_records(corpus, RecordLine):
            title, text = record.value.title or "", record.value.text or ""
            pool._ids.setdefault(title, {}).setdefault(_digest(text), str(record.value.id))
        return pool

    def add(self, paragraph: Paragraph) -> TextDocument | None:
        """Return the document of a paragraph; None when there is one with the same title and text."""
        known = self._ids.setdefault(paragraph.title, {})
        digest = _digest(paragraph.text)
        if digest in known:
            return None
        name = paragraph.title or "untitled"
        known[digest] = f"{name}~{len(known) + 1}" if known else name
        while self._taken(known[digest], paragraph.title):  # a title may itself end in ~2
            known[digest] += "~"
        return TextDocument(known[digest], paragraph.title, paragraph.text)

    def ids_of(self, paragraph: Paragraph) -> tuple[str, ...]:
        """Return the id of a paragraph; of another text than is known, the ids of all of its title; empty when none."""
        known = self._ids.get(paragraph.title, {})
        exact = known.get(_digest(paragraph.text))
        return (exact,) if exact else tuple(known.values())

    def _taken(self, document_id: str, title: str) -> bool:
        return document_id != title and document_id in self._ids


def corpus_documents(rows: Iterator[Row]) -> Iterator[TextDocument]:
    """Yield the documents of a published corpus: `title`, and `text` as one text or as sentences.

    The id is `idx`, `_id` or `id` when a row has one, and else its number from 0.

    Raises:
        InvalidInputError: a row has no text.
    """
    for row in rows:
        values = row.plain()
        text = values.get("text", values.get("paragraph_text"))
        if isinstance(text, list):
            # HotpotQA's dump has sentences, or paragraphs of sentences.
            parts = [joined(each) if isinstance(each, list) else each for each in text]
            text = "\n".join(parts) if any(isinstance(each, list) for each in text) else joined(parts)
        if not isinstance(text, str):
            raise row.fault("text", f"must be text or a list of sentences, not {text!r}"[:200])
        given = next((values[name] for name in ("idx", "_id", "id") if values.get(name) is not None), row.number - 1)
        yield TextDocument(str(given), str(values.get("title") or ""), text)


def _digest(text: str) -> bytes:
    return hashlib.blake2b(text.encode(), digest_size=8).digest()
