"""Formats beyond the built-in ones, by the library kreuzberg: OpenDocument, RTF, old Office files, EPUB and others."""

from __future__ import annotations

from bakeoff.domain import media_types
from bakeoff.knowledge.composing import Composer
from bakeoff.knowledge.parsing import ParsedDocument, SourceDocument, UnreadableDocumentError, media_type_of

PAGED = frozenset((media_types.PDF, media_types.PPTX))
"""Types whose pages are theirs; the library gives others one page."""


def read_with_kreuzberg(source: SourceDocument) -> ParsedDocument:
    """Return the text that kreuzberg finds, page by page where the format has pages. Images are not read.

    Args:
        source: The file; its media type is believed when its bytes do not show another one.

    Raises:
        UnreadableDocumentError: the library cannot read it; the message is its own.
    """
    import kreuzberg

    shown = media_types.sniff(source.data, source.name)
    media_type = media_type_of(source.media_type) if shown in ("text/plain", media_types.OCTETS) else shown
    if media_type in ("", media_types.OCTETS):
        raise UnreadableDocumentError("its bytes do not show what it is, and no media type is stated")
    pages = kreuzberg.PageConfig(extract_pages=media_type in PAGED)
    # The library's types do not know `disable_ocr`.
    config = kreuzberg.ExtractionConfig(pages=pages, disable_ocr=True, use_cache=False)  # type: ignore[call-arg]
    try:
        found = kreuzberg.extract_bytes_sync(source.data, media_type, config)
    except kreuzberg.KreuzbergError as error:
        raise UnreadableDocumentError(f"kreuzberg cannot read it: {error}") from error
    composer = Composer()
    if media_type not in PAGED:
        composer.block(found.content)
    else:
        blank = 0
        for page in found.pages or ():
            composer.begin_page()
            composer.block(page["content"])
            composer.end_page()
            blank += not page["content"].strip()
        if blank:
            composer.notes.append(f"{blank} of {len(found.pages or ())} pages have no text: scanned or blank")
    composer.notes.extend(f"kreuzberg: {warning.message}" for warning in found.processing_warnings or ())
    return composer.parsed()
