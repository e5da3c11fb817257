"""The optional parser that reads nearly any format."""

from __future__ import annotations

from importlib.util import find_spec

import pytest

from bakeoff.domain.component import ComponentSpec
from bakeoff.domain.errors import InvalidInputError
from bakeoff.knowledge.parsers import kreuzberg
from bakeoff.knowledge.parsing import ParsedDocument, SourceDocument, UnreadableDocumentError
from bakeoff.knowledge.registries import parsers
from tests.unit.knowledge.office_files import a_docx
from tests.unit.knowledge.pdf_files import a_pdf

needs_library = pytest.mark.skipif(find_spec("kreuzberg") is None, reason="kreuzberg is not installed")


def parse(data: bytes, media_type: str = "text/plain", name: str = "") -> ParsedDocument:
    return parsers.load().make(ComponentSpec("kreuzberg"))(SourceDocument("d1", data, media_type, name))


@needs_library
def test_pages_are_where_the_format_has_them() -> None:
    document = parse(a_pdf(["The mole", "is long.", ""]))

    assert [document.text[span.start : span.stop] for span in document.page_spans or ()] == ["The mole", "is long.", ""]
    assert document.notes == ("1 of 3 pages have no text: scanned or blank",)
    assert parse(a_docx("# Quays", "The mole")).page_spans is None


@needs_library
def test_a_format_that_no_other_parser_knows_is_read() -> None:
    assert parse(rb"{\rtf1\ansi The mole is {\b long}.}").text == "The mole is long."


@needs_library
def test_what_the_library_cannot_read_is_told() -> None:
    with pytest.raises(UnreadableDocumentError, match="its bytes do not show what it is"):
        parse(b"\0\1\2", "application/octet-stream")
    with pytest.raises(UnreadableDocumentError, match="kreuzberg cannot read it: "):
        parse(a_docx("words")[:-300], name="a.docx")


def test_without_the_library_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kreuzberg, "find_spec", lambda name: None)

    with pytest.raises(InvalidInputError, match=r"pip install 'bakeoff\[kreuzberg\]'"):
        parsers.load().make(ComponentSpec("kreuzberg"))
