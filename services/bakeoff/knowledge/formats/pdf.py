"""PDF: the text layer page by page, with printed page labels."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from bakeoff.domain.answer import Span
from bakeoff.knowledge.parsing import ParsedDocument, SourceDocument, UnreadableDocumentError

if TYPE_CHECKING:
    from pypdfium2 import PdfPage

END_MARK = b"%%EOF"
TAIL_BYTES = 4096
"""Where the end mark must stand; the standard says 1,024, and files with something behind it are about."""
HYPHEN = re.compile("[\ufffe\x02]")
"""What PDFium writes for a hyphen at a line's end."""
BEFORE, AFTER = re.compile(r"\w*\Z"), re.compile(r"\w*")
LONGEST_WORD = 64
WORD = re.compile(r"\w+")
MOST_PAGES_TOLD = 8
BETWEEN_PAGES = "\n\n"
SCANNED = "scanned: an image without text, which is not read"
DRAWN = "drawn: lines without text, which are not read"
BLANK = "blank"
RECOGNISED = "scanned: an image of words that were recognised, some perhaps wrongly"


def read_pdf(source: SourceDocument, *, cut_off: str = "refuse") -> ParsedDocument:
    """Return the text of a PDF.

    Pages without text are noted: scanned ones, which show an image, apart from blank ones.

    Args:
        source: The file; an encrypted one is opened with an empty password.
        cut_off: `refuse` a file whose end is missing, or `read` what is left of it and note that.

    Raises:
        UnreadableDocumentError: it is damaged, cut off, or asks for a password.
    """
    return read_pages(source, cut_off=cut_off)


def read_pages(
    source: SourceDocument, *, cut_off: str = "refuse", recognise: Callable[[PdfPage], str] | None = None
) -> ParsedDocument:
    """Return the text of a PDF as `read_pdf` does.

    Args:
        source: The file.
        cut_off: As of `read_pdf`.
        recognise: Returns the words that a page shows; asked for each page that shows an image and has no text. None
            leaves such pages without words.

    Raises:
        UnreadableDocumentError: as of `read_pdf`.
    """
    import pypdfium2
    from pypdfium2.raw import FPDF_PAGEOBJ_IMAGE

    notes = []
    if END_MARK not in source.data[-TAIL_BYTES:]:
        if cut_off == "refuse":
            raise UnreadableDocumentError("the PDF is cut off: its end mark %%EOF is missing")
        notes.append("the PDF is cut off, its end mark %%EOF is missing: pages may be missing too")
    try:
        document = pypdfium2.PdfDocument(source.data)
    except pypdfium2.PdfiumError as error:
        if "password" in str(error).lower():
            raise UnreadableDocumentError("the PDF is encrypted and asks for a password") from error
        raise UnreadableDocumentError(f"the PDF is damaged: {error}") from error
    texts, labels = [], []
    without: dict[str, list[int]] = {RECOGNISED: [], SCANNED: [], DRAWN: [], BLANK: []}
    for index in range(len(document)):
        try:
            page = document[index]
            text_page = page.get_textpage()
            text = text_page.get_text_range().replace("\r\n", "\n").replace("\r", "\n").strip()
            text_page.close()
            if not text:
                shown = {each.type for each in page.get_objects()}
                if FPDF_PAGEOBJ_IMAGE in shown and recognise is not None:
                    text = recognise(page).strip()
                scanned = RECOGNISED if text else SCANNED
                without[scanned if FPDF_PAGEOBJ_IMAGE in shown else DRAWN if shown else BLANK].append(index + 1)
            page.close()
        except pypdfium2.PdfiumError as error:
            raise UnreadableDocumentError(f"page {index + 1} of {len(document)} is damaged: {error}") from error
        texts.append(text)
        labels.append(document.get_page_label(index))
    if not texts:
        raise UnreadableDocumentError("the PDF has no pages")
    notes += [f"{_told(pages, len(texts))} {how}" for how, pages in without.items() if pages]
    text, spans = _joined(without_marks(texts))
    return ParsedDocument(text, spans, tuple(labels) if any(labels) else None, notes=tuple(notes))


def _joined(texts: Sequence[str]) -> tuple[str, tuple[Span, ...]]:
    spans = []
    start = 0
    for text in texts:
        spans.append(Span(start, start + len(text)))
        start += len(text) + len(BETWEEN_PAGES)
    return BETWEEN_PAGES.join(texts), tuple(spans)


def without_marks(texts: Sequence[str]) -> list[str]:
    """Return pages with each marked hyphen kept, or dropped where the document knows the word without it."""
    if not any(HYPHEN.search(text) for text in texts):
        return list(texts)
    known = {word for text in texts for word in WORD.findall(text.casefold())}

    def hyphen(match: re.Match[str]) -> str:
        text, place = match.string, match.start()
        before = BEFORE.search(text[max(0, place - LONGEST_WORD) : place])
        after = AFTER.match(text, match.end())
        assert before is not None  # noqa: S101  # it matches nothing, too
        assert after is not None  # noqa: S101  # likewise
        return "" if before[0] and after[0] and (before[0] + after[0]).casefold() in known else "-"

    return [HYPHEN.sub(hyphen, text) for text in texts]


def _told(pages: Sequence[int], total: int) -> str:
    """Return pages as words: `pages 3, 5–7 of 12 are`."""
    runs: list[list[int]] = []
    for page in pages:
        if runs and page == runs[-1][-1] + 1:
            runs[-1].append(page)
        else:
            runs.append([page])
    told = [str(run[0]) if len(run) == 1 else f"{run[0]}–{run[-1]}" for run in runs[:MOST_PAGES_TOLD]]
    more = f" and {sum(map(len, runs[MOST_PAGES_TOLD:]))} more" if len(runs) > MOST_PAGES_TOLD else ""
    return f"page{'s' if len(pages) > 1 else ''} {', '.join(told)}{more} of {total} {'are' if len(pages) > 1 else 'is'}"
