"""Whether the words of evidence stand in the document that it names."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

import msgspec

from bakeoff.domain.benchmark import Case
from bakeoff.domain.media_types import RECORD
from bakeoff.domain.prepared import PreparedDocument
from bakeoff.preparation.findings import Findings
from bakeoff.preparation.originals import Originals
from bakeoff.preparation.records import BOM

MARKDOWN = "text/markdown"
READABLE = (RECORD, "text/plain", MARKDOWN)
"""Types whose bytes are their text; of PDFs and pages the words are known only to who parses them."""
LINK = re.compile(r"!?\[([^\]\n]{0,1000})\](?:\([^)\n]{0,1000}\)|\[[^\]\n]{0,100}\])")
MARKS = re.compile(r"[*_`~#>|\\]+|^ {0,3}[-+] |^ {0,3}:?-{3,}:?", re.MULTILINE)
"""Signs of Markdown; without them a document and what is quoted from it compare as their readers see them."""
SHOWN = 60


class _Words(msgspec.Struct):
    text: str | None = None
    title: str | None = None


class EvidenceTexts:
    """Remembers the words by the document that should have them, and looks them up once all cases are there."""

    def __init__(self) -> None:
        """Start with none."""
        self._wanted: dict[str, list[tuple[str, str]]] = {}

    def add(self, case: Case) -> None:
        """Take in the evidence of a case."""
        for piece in case.expected.evidence:
            document_id = piece.locator.get("document_id")
            if isinstance(document_id, str) and piece.text.strip():
                self._wanted.setdefault(document_id, []).append((case.case_id, piece.text))

    def look_up(self, documents: Iterable[PreparedDocument], originals: Originals, findings: Findings) -> None:
        """Note each text that does not stand in its document; case, white space and forms of letters do not matter."""
        message = "evidence whose words do not stand in its document; no passage of it can match them"
        for document in documents:
            wanted = self._wanted.get(document.document_id)
            if not wanted or document.media_type not in READABLE:
                continue
            there = _squeezed(_text(originals.bytes_of(document), document.media_type))
            plain: str | None = None
            for case_id, text in wanted:
                found = _squeezed(text) in there
                if not found and document.media_type == MARKDOWN:
                    plain = _plain(_text(originals.bytes_of(document), MARKDOWN)) if plain is None else plain
                    found = _plain(text) in plain
                if not found:
                    findings.note(
                        "evidence_not_in_document", message, f"{case_id} {document.document_id}: {text[:SHOWN]}"
                    )

    @property
    def empty(self) -> bool:
        """Whether there is nothing to look up."""
        return not self._wanted


def _text(data: bytes, media_type: str) -> str:
    if media_type == RECORD:
        record = msgspec.json.decode(data.removeprefix(BOM), type=_Words)  # its adapter has read it before
        return " ".join(part for part in (record.title, record.text) if part)
    return data.decode("utf-8-sig", errors="replace")


def _plain(markdown: str) -> str:
    """Return what a reader of Markdown sees, nearly: enough to find words again."""
    return _squeezed(MARKS.sub(" ", LINK.sub(r"\1", markdown))).replace(" ", "")


def _squeezed(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())
