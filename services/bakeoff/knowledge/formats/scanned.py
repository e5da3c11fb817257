"""Scanned pages: words in images, read by Tesseract, which the library kreuzberg brings along."""

from __future__ import annotations

import os
import struct
import zlib
from typing import TYPE_CHECKING

from bakeoff.domain import media_types
from bakeoff.knowledge.composing import Composer
from bakeoff.knowledge.formats.pdf import read_pages
from bakeoff.knowledge.parsing import ParsedDocument, SourceDocument, UnreadableDocumentError

if TYPE_CHECKING:
    from pypdfium2 import PdfPage

POINTS_PER_INCH = 72
MOST_PIXELS = 50_000_000
"""Of a page: A3 at 300 to the inch has 17 million, a page that says it is a mile wide any number."""
PNG_MARK = b"\x89PNG\r\n\x1a\n"
IMAGES = {PNG_MARK: "image/png", b"\xff\xd8\xff": "image/jpeg", b"II*\0": "image/tiff", b"MM\0*": "image/tiff"}
"""Types of images by how they begin."""


def image_type(data: bytes) -> str | None:
    """Return the media type of an image; None when it is of no kind that is read."""
    return next((kind for mark, kind in IMAGES.items() if data.startswith(mark)), None)


def read_scanned(source: SourceDocument, *, languages: str, folder: str, dpi: int, cut_off: str) -> ParsedDocument:
    """Return the text of a PDF, and of those of its pages that have none the words that they show; or of an image.

    Args:
        source: A PDF, or an image in PNG, JPEG or TIFF.
        languages: Names of Tesseract's languages, with `+` between them.
        folder: Where their files are.
        dpi: Pixels to the inch that pages are drawn with.
        cut_off: As of `read_pdf`.

    Raises:
        UnreadableDocumentError: it is something else or damaged, or Tesseract cannot read it.
    """
    os.environ["TESSDATA_PREFIX"] = folder  # its only way to be told; this is a process for parsing alone
    os.environ["OMP_THREAD_LIMIT"] = "1"  # more threads take longer over a page

    def recognise(page: PdfPage) -> str:
        return _words(_drawn(page, dpi), "image/png", languages)

    if media_types.sniff(source.data, "") == media_types.PDF:
        return read_pages(source, cut_off=cut_off, recognise=recognise)
    image = image_type(source.data)
    if image is None:
        raise UnreadableDocumentError("this is no PDF and no image in PNG, JPEG or TIFF")
    composer = Composer()
    composer.begin_page()
    composer.block(_words(source.data, image, languages))
    composer.end_page()
    return composer.parsed()


def _words(image: bytes, media_type: str, languages: str) -> str:
    import kreuzberg

    ocr = kreuzberg.OcrConfig(backend="tesseract", language=languages)
    config = kreuzberg.ExtractionConfig(ocr=ocr, force_ocr=True, use_cache=False)
    try:
        return kreuzberg.extract_bytes_sync(image, media_type, config).content
    except kreuzberg.KreuzbergError as error:
        raise UnreadableDocumentError(f"its images cannot be read: {error}") from error


def _drawn(page: PdfPage, dpi: int) -> bytes:
    """Return a page as a PNG in shades of grey."""
    width, height = (side * dpi / POINTS_PER_INCH for side in page.get_size())
    if width * height > MOST_PIXELS:
        raise UnreadableDocumentError(
            f"a page of {width:,.0f} × {height:,.0f} pixels is scanned; at most {MOST_PIXELS:,} pixels are read"
        )
    bitmap = page.render(scale=dpi / POINTS_PER_INCH, grayscale=True)
    shades = bitmap.to_numpy().reshape(bitmap.height, -1)[:, : bitmap.width]
    rows = b"".join(b"\0" + row.tobytes() for row in shades)  # each row begins with its filter: none
    head = struct.pack(">IIBBBBB", bitmap.width, bitmap.height, 8, 0, 0, 0, 0)  # 8 bits, grey
    parts = ((b"IHDR", head), (b"IDAT", zlib.compress(rows, 1)), (b"IEND", b""))
    return PNG_MARK + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data)) for kind, data in parts
    )
