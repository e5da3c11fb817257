"""Files that are broken or mean harm: each is read as it should be or fails alone, with a reason."""

from __future__ import annotations

import io
import struct
import zipfile
from itertools import pairwise
from pathlib import Path

import pytest

from bakeoff.domain.component import ComponentSpec
from bakeoff.domain.recipe import BuildPart, QueryMode
from bakeoff.knowledge.build import build_knowledge_base
from bakeoff.knowledge.parsing import ParsedDocument, SourceDocument, UnreadableDocumentError
from bakeoff.knowledge.registries import parsers
from bakeoff.knowledge.search import open_knowledge_base
from tests.unit.knowledge.office_files import a_docx, an_archive, an_xlsx, with_part
from tests.unit.knowledge.pdf_files import a_pdf

LAUGHS = (
    b'<?xml version="1.0"?><!DOCTYPE d [<!ENTITY a "ha">'
    + b"".join(b'<!ENTITY %c "%s">' % (98 + n, b"&%c;" % (97 + n) * 10) for n in range(12))
    + b"]>"
)
W = b'<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body><w:p><w:r><w:t>%s'
W_END = b"</w:t></w:r></w:p></w:body></w:document>"
SHEET = b'<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">%s</worksheet>'


def parse(data: bytes, spec: str = "auto", media_type: str = "", name: str = "") -> ParsedDocument:
    return parsers.load().make(ComponentSpec.parse(spec))(SourceDocument("d1", data, media_type, name))


def refused(data: bytes, words: str, spec: str = "auto", media_type: str = "", name: str = "") -> None:
    with pytest.raises(UnreadableDocumentError, match=words):
        parse(data, spec, media_type, name)


def a_bomb() -> bytes:
    return with_part(a_docx("words"), "word/media/image.bin", bytes(70 << 20))


def test_an_archive_that_unpacks_to_much_more_than_it_is_is_not_unpacked() -> None:
    refused(a_bomb(), r"the DOCX of [\d,]+ bytes unpacks to 7[\d,]+: at most")
    refused(with_part(an_xlsx({"s": [["a"]]}), "xl/x.bin", bytes(70 << 20)), "the XLSX of .* unpacks to")


def test_an_archive_that_lies_about_its_sizes_is_damaged() -> None:
    bomb = bytearray(with_part(a_docx("words"), "word/document.xml", bytes(70 << 20)))
    with zipfile.ZipFile(io.BytesIO(bytes(bomb))) as archive:
        names = [each.filename for each in archive.infolist()]
        start = archive.start_dir
    for name in names:  # entries of the table of contents are 46 bytes and the name; the size stands at byte 24
        if name == "word/document.xml":
            bomb[start + 24 : start + 28] = struct.pack("<I", 100)
        length, extra, comment = struct.unpack("<HHH", bomb[start + 28 : start + 34])
        start += 46 + length + extra + comment

    refused(bytes(bomb), "the DOCX is damaged: Bad CRC-32")


def test_a_part_that_reaches_out_of_its_archive_is_refused() -> None:
    refused(with_part(a_docx("words"), "../../etc/cron", b"x"), r"a part '../../etc/cron' that reaches out of it")
    refused(with_part(a_docx("words"), "/etc/cron", b"x"), "a part '/etc/cron' that reaches out of it")


def test_an_archive_of_something_else_is_told() -> None:
    refused(an_archive({"readme.txt": b"x"}), "'application/zip', an archive")
    refused(an_archive({"readme.txt": b"x"}), "this is no DOCX: it has no part 'word/document.xml'", name="a.docx")
    refused(a_docx("words")[:-200], "the DOCX is damaged")
    refused(an_archive({"word/document.xml": b"x"}), "the DOCX is damaged")


def test_entities_of_entities_are_not_written_out() -> None:
    refused(with_part(a_docx("words"), "word/document.xml", LAUGHS + W % b"&m;" + W_END), "the DOCX is damaged")


def test_a_sheet_that_says_it_has_a_billion_cells_has_those_that_are_there() -> None:
    rows = b'<dimension ref="A1:XFD1048576"/><sheetData><row r="1"><c r="A1"><v>7</v></c></row></sheetData>'
    data = with_part(an_xlsx({"s": [["a"]]}), "xl/worksheets/sheet1.xml", SHEET % rows)

    assert parse(data).text == "s\n\n7"


@pytest.mark.parametrize("share", [0.02, 0.3, 0.6, 0.9])
def test_a_pdf_that_is_cut_off_is_told(share: float) -> None:
    data = a_pdf([f"page {number}" for number in range(40)])

    refused(data[: int(len(data) * share)], "the PDF is cut off: its end mark %%EOF is missing")


def test_a_pdf_that_is_cut_off_can_be_read_as_far_as_it_goes() -> None:
    data = a_pdf([f"page {number}" for number in range(40)])
    document = parse(data[: data.rindex(b"startxref")], "pdf(cut_off=read)")

    assert document.text.startswith("page 0")
    assert "pages may be missing" in document.notes[0]


def test_a_pdf_of_nothing_but_its_marks_is_damaged() -> None:
    refused(b"%PDF-1.7\nnothing\n%%EOF", "the PDF is damaged")
    refused(a_pdf([]), "the PDF has no pages|the PDF is damaged")


def test_a_cell_of_200000_characters_is_read() -> None:
    cell = "word " * 40_000

    document = parse(f'a,b\n1,"{cell}"\n'.encode(), media_type="text/csv")

    assert document.text == f"a: 1; b: {cell.strip()}"


def test_a_quote_that_is_not_closed_is_told_with_its_line() -> None:
    data = b'a,b\n1,2\n3,"4\n5,6\n'

    refused(data, "the row that begins on line 3 cannot be read: a quote is not closed", media_type="text/csv")
    assert parse(data, 'csv(quote="")').text == 'a: 1; b: 2\na: 3; b: "4\na: 5; b: 6'


def test_a_byte_order_mark_is_no_part_of_the_first_column() -> None:
    assert parse(b"\xef\xbb\xbfid,text\n1,x", media_type="text/csv").tables[0].columns == ("id", "text")
    assert parse("\ufeff{}\n".encode() + b'{"a": 1}', media_type="application/x-ndjson").text == "a: 1"
    assert parse(b"\xef\xbb\xbf<p>x", media_type="text/html").text == "x"
    assert parse(b"\xef\xbb\xbf# x", media_type="text/markdown").text == "x"


def test_a_line_separator_ends_no_record() -> None:
    text = '{"a": "one\u2028two\x85three"}\n{"a": "four"}'

    assert [row.number for row in parse(text.encode(), media_type="application/x-ndjson").tables[0].rows] == [0, 1]
    assert parse("a,b\none\u2028two,2".encode(), media_type="text/csv").text == "a: one two; b: 2"
    assert parse("one\u2028two".encode(), media_type="text/plain").text == "one\u2028two"


@pytest.mark.parametrize(
    "media_type",
    [
        "text/plain",
        "text/csv",
        "text/html",
        "text/markdown",
        "application/pdf",
        "application/x-ndjson",
        "message/rfc822",
    ],
)
def test_a_document_of_no_bytes_is_empty(media_type: str) -> None:
    assert parse(b"", media_type=media_type) == ParsedDocument("")


def test_a_line_that_is_no_json_is_told_with_its_number() -> None:
    refused(b'{"a": 1}\n{"a": \n', "line 2 is no JSON", media_type="application/x-ndjson")
    refused(b"[" * 100_000, "line 1 is no JSON", media_type="application/x-ndjson")


def test_a_page_that_nests_without_end_is_read() -> None:
    assert parse(b"<div>" * 13_000 + b"deep", media_type="text/html").text == "deep"
    assert parse(b"<table><tr><td>" * 4_000 + b"deep", media_type="text/html").text == "deep"


def test_a_page_that_nests_too_deep_to_be_read_soon_is_refused_at_once() -> None:
    deep = "its elements nest 100,000 deep"
    refused(b"<div>" * 100_000, deep, media_type="text/html")
    refused(b"<ul><LI>" * 100_000, deep, media_type="text/html")
    refused(b"x\n\n" + b"<div>" * 100_000, deep, media_type="text/markdown")
    refused(b"Subject: x\nContent-Type: text/html\n\n" + b"<div\n>" * 100_000, deep, media_type="message/rfc822")


def test_a_page_of_many_elements_side_by_side_is_read() -> None:
    # A list that is left open within a `div` ends with it, and so adds to no depth.
    page = parse(b"<div><ul><li>word</div>" * 30_000, media_type="text/html")
    assert page.text.count("word") == 30_000


def test_tables_within_tables_take_no_time_that_grows_with_their_square() -> None:
    document = parse(b"<table><tr><td>x" * 20_000, media_type="text/html")
    rows = [table.rows[0] for table in document.tables]
    assert len(rows) == 20_000
    assert (rows[0].start, rows[0].stop) == (0, len(document.text))  # the outermost holds all others
    assert all(outer.start < inner.start and outer.stop == inner.stop for outer, inner in pairwise(rows))


def test_brackets_without_end_take_no_time_without_end() -> None:
    assert parse(b"[" * 16_000 + b"deep", media_type="text/markdown").text.endswith("deep")


def test_a_hostile_file_fails_alone_with_its_name(tmp_path: Path) -> None:
    documents = [
        SourceDocument("fine", b"a mole of granite"),
        SourceDocument("a bomb", a_bomb()),
        SourceDocument("cut off", a_pdf(["words"])[:-30]),
        SourceDocument("empty", b"", "application/pdf"),
        SourceDocument("scanned", a_pdf([b"q 10 0 0 10 5 5 cm BI /W 1 /H 1 /CS /G /BPC 8 ID \x80 EI Q"])),
        SourceDocument("report", a_pdf(["a mole of basalt"])),
    ]
    built = build_knowledge_base(documents, BuildPart(), tmp_path / "kb")

    failed = {each.document_id: each.failure.reason for each in built.skipped if each.failure}
    assert failed.keys() == {"a bomb", "cut off"}
    assert "document 'a bomb' cannot be read: the DOCX of" in failed["a bomb"]
    assert [each.document_id for each in built.skipped if not each.failure] == ["empty", "scanned"]
    [found] = open_knowledge_base(tmp_path / "kb").search(["mole"], QueryMode("m", ComponentSpec("full_text_search")))
    assert isinstance(found, tuple)
    assert {passage.document_id for passage in found} == {"fine", "report"}
