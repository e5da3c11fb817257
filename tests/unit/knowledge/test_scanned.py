"""The optional parser that reads words in images."""

from __future__ import annotations

import os
import struct
from importlib.util import find_spec
from pathlib import Path

import pypdfium2
import pytest

from bakeoff.domain.component import ComponentSpec
from bakeoff.domain.errors import InvalidInputError
from bakeoff.domain.recipe import BuildPart
from bakeoff.knowledge.formats import scanned as reading
from bakeoff.knowledge.parsers import scanned
from bakeoff.knowledge.parsing import ParsedDocument, SourceDocument, UnreadableDocumentError
from bakeoff.knowledge.parts import resolved
from bakeoff.knowledge.registries import parsers
from tests.unit.knowledge.pdf_files import DRAWING, IMAGE, a_pdf

PLACES = [Path(os.environ.get("TESSDATA_PREFIX", "/nowhere")), *Path("/usr/share").glob("tesseract-ocr/*/tessdata")]
TESSDATA = next((place for place in PLACES if (place / "eng.traineddata").is_file()), None)


def read(data: bytes, dpi: int = 300) -> ParsedDocument:
    return reading.read_scanned(
        SourceDocument("d1", data), languages="eng", folder="/nowhere", dpi=dpi, cut_off="refuse"
    )


@pytest.fixture
def images(monkeypatch: pytest.MonkeyPatch) -> list[bytes]:
    """Images that were to be read; what stands in each is its number."""
    seen: list[bytes] = []

    def words(image: bytes, media_type: str, languages: str) -> str:
        seen.append(image)
        return f"words of image {len(seen)}"

    monkeypatch.setattr(reading, "_words", words)
    monkeypatch.setenv("TESSDATA_PREFIX", "")
    monkeypatch.setenv("OMP_THREAD_LIMIT", "")
    return seen


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with two languages, the library being there."""
    monkeypatch.setattr(scanned, "find_spec", lambda name: object())
    for language in ("eng", "deu"):
        (tmp_path / f"{language}.traineddata").write_bytes(language.encode())
    return tmp_path


def test_pages_without_text_have_the_words_of_their_images(images: list[bytes]) -> None:
    document = read(a_pdf(["The mole", IMAGE, "", DRAWING, IMAGE]))

    pages = [document.text[span.start : span.stop] for span in document.page_spans or ()]
    assert pages == ["The mole", "words of image 1", "", "", "words of image 2"]
    assert [note.partition(":")[0] for note in document.notes] == [
        "pages 2, 5 of 5 are scanned",
        "page 4 of 5 is drawn",
        "page 3 of 5 is blank",
    ]
    # A page of 600 × 800 points at 300 pixels for each 72 of them, in PNG; a part of a pixel is one.
    assert [struct.unpack(">II", image[16:24]) for image in images] == [(2500, 3334)] * 2


def test_an_image_is_a_page(images: list[bytes]) -> None:
    data = b"\xff\xd8\xff\xe0 an image"
    document = read(data)
    assert (document.text, len(document.page_spans or ())) == ("words of image 1", 1)
    assert images == [data]


def test_what_is_neither_is_refused() -> None:
    with pytest.raises(UnreadableDocumentError, match="no PDF and no image in PNG, JPEG or TIFF"):
        read(b"words")


def test_a_page_of_endless_size_is_not_drawn(images: list[bytes]) -> None:
    with pytest.raises(
        UnreadableDocumentError, match="a page of 50,000 × 66,667 pixels is scanned; at most 50,000,000"
    ):
        read(a_pdf([IMAGE]), dpi=6000)
    assert images == []


def test_a_language_that_is_not_there_is_refused_with_those_that_are(folder: Path) -> None:
    with pytest.raises(InvalidInputError, match="has no language 'fra'; there are: deu, eng"):
        parsers.load().make(ComponentSpec("scanned", {"directory": str(folder), "languages": "eng+fra"}))


def test_what_shows_no_image_is_read_as_by_auto(folder: Path) -> None:
    parser = parsers.load().make(ComponentSpec("scanned", {"directory": str(folder)}))
    assert parser(SourceDocument("d1", b"<p>The <b>mole</b>", "text/html")).text == "The mole"
    assert parser(SourceDocument("d1", b"")).text == ""


def test_other_files_of_languages_are_another_parser(folder: Path) -> None:
    part = BuildPart(parser=ComponentSpec("scanned", {"directory": str(folder)}))
    before = resolved(part).parser
    assert parsers.make(before)
    (folder / "eng.traineddata").write_bytes(b"another one")

    assert resolved(part).parser.settings["sha256"] != before.settings["sha256"]
    with pytest.raises(InvalidInputError, match="another one than the recipe names"):
        parsers.make(before)


def test_without_the_library_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scanned, "find_spec", lambda name: None)
    with pytest.raises(InvalidInputError, match=r"pip install 'bakeoff\[kreuzberg\]'"):
        parsers.load().make(ComponentSpec("scanned"))


@pytest.mark.skipif(find_spec("kreuzberg") is None, reason="kreuzberg is not installed")
@pytest.mark.skipif(TESSDATA is None, reason="no eng.traineddata in TESSDATA_PREFIX or /usr/share/tesseract-ocr")
def test_words_in_an_image_are_read() -> None:
    with pypdfium2.PdfDocument(a_pdf(["The mole is of granite."])) as document:
        image = reading._drawn(document[0], 300)
    parser = parsers.load().make(ComponentSpec("scanned", {"directory": str(TESSDATA)}))
    assert parser(SourceDocument("d1", image)).text == "The mole is of granite."
