"""Formats: what is read of each, and where it says that it is."""

from __future__ import annotations

import datetime
from email.message import EmailMessage
from pathlib import Path

import pytest

from bakeoff.domain.component import ComponentSpec
from bakeoff.knowledge.formats.pdf import without_marks
from bakeoff.knowledge.parsing import ParsedDocument, SourceDocument, UnreadableDocumentError
from bakeoff.knowledge.registries import parsers
from bakeoff.knowledge.structure import HEADER
from tests.unit.knowledge.office_files import a_docx, a_pptx, an_xlsx
from tests.unit.knowledge.pdf_files import DRAWING, IMAGE, a_pdf

STONES = [["stone", "tons"], ["granite", "12"], ["basalt", "7"]]


def parse(data: bytes | str, spec: str = "auto", media_type: str = "", name: str = "") -> ParsedDocument:
    source = SourceDocument("d1", data.encode() if isinstance(data, str) else data, media_type, name)
    return parsers.load().make(ComponentSpec.parse(spec))(source)


def rows_of(document: ParsedDocument, table: int = 0) -> dict[int, str]:
    return {row.number: document.text[row.start : row.stop] for row in document.tables[table].rows}


def cells_of(document: ParsedDocument, row: int, table: int = 0) -> list[str]:
    found = document.tables[table].rows[row]
    ends = [*found.cells[1:], found.stop]
    return [document.text[start:stop].strip(" |;") for start, stop in zip(found.cells, ends, strict=True)]


def headings_of(document: ParsedDocument) -> list[tuple[int, str]]:
    return [(each.level, document.text[each.start :].partition("\n")[0]) for each in document.headings]


def test_a_pdf_has_pages_and_what_is_printed_on_them() -> None:
    document = parse(a_pdf(["Preface", "The mole\nis long.", "", "End"], labels="0 << /S /r >> 1 << /S /D >>"))

    assert document.text == "Preface\n\nThe mole\nis long.\n\n\n\nEnd"
    assert [document.text[span.start : span.stop] for span in document.page_spans or ()] == [
        "Preface",
        "The mole\nis long.",
        "",
        "End",
    ]
    assert document.page_labels == ("i", "1", "2", "3")
    assert document.notes == ("page 3 of 4 is blank",)


def test_a_pdf_without_labels_does_not_say_what_is_printed() -> None:
    assert parse(a_pdf(["one", "two"])).page_labels is None


@pytest.mark.parametrize(
    ("pages", "texts"),
    [
        (["a state\ufffeof-the-art mole"], ["a state-of-the-art mole"]),
        (["the har\ufffebour", "A Harbour"], ["the harbour", "A Harbour"]),
        (["har\x02bour", "\ufffe\ufffe"], ["har-bour", "--"]),
        (["no mark"], ["no mark"]),
    ],
)
def test_a_hyphen_at_a_lines_end_goes_where_the_word_is_known_without_it(pages: list[str], texts: list[str]) -> None:
    assert without_marks(pages) == texts


def test_pages_that_are_scanned_are_told_from_blank_ones() -> None:
    document = parse(a_pdf([IMAGE, "words", IMAGE, IMAGE, DRAWING, ""]))

    assert document.notes == (
        "pages 1, 3–4 of 6 are scanned: an image without text, which is not read",
        "page 5 of 6 is drawn: lines without text, which are not read",
        "page 6 of 6 is blank",
    )


def test_a_pdf_that_everybody_can_open_is_read_and_one_with_a_password_is_told() -> None:
    assert parse(a_pdf(["The light is green."], password="")).text == "The light is green."
    with pytest.raises(UnreadableDocumentError, match="is encrypted and asks for a password"):
        parse(a_pdf(["secret"], password="x"))


@pytest.mark.data
@pytest.mark.parametrize(
    ("name", "pages", "labels", "words"),
    [
        ("fin_docs/ADI_2009.pdf", 110, None, ()),
        ("fin_docs/ABMD_2012.pdf", 86, ("c1", "c2", "1"), ("pages 14, 58 of 86 are blank",)),
        ("fin_docs/GS_2016.pdf", 230, None, ("page 12 of 230 is blank",)),
    ],
)
def test_every_page_of_a_real_report_is_counted(
    data_dir: Path, name: str, pages: int, labels: tuple[str, ...] | None, words: tuple[str, ...]
) -> None:
    document = parse((data_dir / "uda-benchmark/dataset/src_doc_files_example" / name).read_bytes())

    assert len(document.page_spans or ()) == pages
    assert (document.page_labels[:3] if document.page_labels else None) == labels
    assert document.notes == words
    assert "\ufffe" not in document.text


def test_a_docx_has_headings_and_tables_in_their_order() -> None:
    document = parse(a_docx("# Quays", "The mole\tis long.", STONES, "## Lights", "Green\nlight."))

    assert document.text == (
        "Quays\n\nThe mole\tis long.\n\nstone | tons\ngranite | 12\nbasalt | 7\n\nLights\n\nGreen\nlight."
    )
    assert headings_of(document) == [(1, "Quays"), (2, "Lights")]
    assert rows_of(document) == {HEADER: "stone | tons", 0: "granite | 12", 1: "basalt | 7"}
    assert document.tables[0].columns == ("stone", "tons")
    assert document.page_spans is None


def test_a_slide_is_a_page_with_its_notes_and_tables() -> None:
    data = a_pptx(("The mole", "It is long.", ""), ("Stones", "All of them", "Say it slowly."), table=STONES)
    document = parse(data)

    assert [document.text[span.start : span.stop] for span in document.page_spans or ()] == [
        "The mole\n\nIt is long.",
        "Stones\n\nAll of them\n\nstone | tons\ngranite | 12\nbasalt | 7\n\nSay it slowly.",
    ]
    assert headings_of(document) == [(1, "The mole"), (1, "Stones")]
    assert rows_of(document)[1] == "basalt | 7"
    assert "slowly" not in parse(data, "pptx(speaker_notes=false)").text


def test_a_sheet_is_a_table_whose_rows_say_what_they_are() -> None:
    day = datetime.datetime(2020, 3, 1)
    data = an_xlsx({"Stones": [[], ["stone", "tons", "day"], ["granite", 12.0, day], [], ["basalt", 7.5]], "Blank": []})
    document = parse(data)

    assert document.text == ("Stones\n\nstone: granite; tons: 12; day: 2020-03-01\nstone: basalt; tons: 7.5\n\nBlank")
    assert [table.table_id for table in document.tables] == ["Stones"]
    assert list(rows_of(document)) == [0, 2]  # the blank row counts
    assert cells_of(document, 0) == ["stone: granite", "tons: 12", "day: 2020-03-01"]
    assert parse(data, "xlsx(named=false)").text.startswith("Stones\n\nstone | tons | day\ngranite | 12 |")
    assert list(rows_of(parse(data, "xlsx(header=false)"))) == [0, 1, 3]


def test_rows_of_a_csv_say_what_they_are() -> None:
    document = parse("stone,tons,\n granite ,12,x\n\n,7,\n", media_type="text/csv")

    assert document.text == "stone: granite; tons: 12; x\ntons: 7"
    assert rows_of(document) == {0: "stone: granite; tons: 12; x", 2: "tons: 7"}
    assert document.tables[0].columns == ("stone", "tons", "")
    assert parse("a,b\n1,2", "csv(named=false)").text == "a | b\n1 | 2"
    assert parse("a,b\n1,2", "csv(header=false)").text == "a | b\n1 | 2"


@pytest.mark.parametrize(
    ("text", "media_type"),
    [
        ("a,b\n1,2", "text/csv"),
        ("a;b\n1;2", "text/csv"),
        ("a|b\n1|2", "text/csv"),
        ("a\tb\n1\t2", "text/tab-separated-values"),
        ('"a",b\r\n1,"2"\r\n', "text/csv"),
        ("a,b\r1,2\r", "text/csv"),
    ],
)
def test_a_csv_shows_what_divides_its_cells(text: str, media_type: str) -> None:
    assert parse(text, media_type=media_type).text == "a: 1; b: 2"


def test_rows_of_another_length_are_read_and_told() -> None:
    document = parse("a,b\n1\n2,3\n4,5,6", media_type="text/csv")

    assert document.text == "a: 1\na: 2; b: 3\na: 4; b: 5; 6"
    assert document.notes == ("the first row has 2 cells; those that end on these lines have not: 2 (1), 4 (3)",)


def test_json_lines_are_rows_with_their_numbers_verbatim() -> None:
    text = '{"stone": "granite", "tons": 12.50, "x": [1.0, {"y": null}]}\n\n{"tons": NaN, "new": true}\n7\n'
    document = parse(text, media_type="application/x-ndjson")

    assert document.text == 'stone: granite; tons: 12.50; x: [1.0, {"y": null}]\ntons: NaN; new: true\n7'
    assert list(rows_of(document)) == [0, 2, 3]
    assert document.tables[0].columns == ("stone", "tons", "x", "new", "")


def test_a_mail_is_its_subject_head_body_and_the_names_of_what_is_attached() -> None:
    mail = EmailMessage()
    mail["Subject"] = "Grüne Lichter"
    mail["From"] = "Jörg <j@example.org>"
    mail["To"] = "a@example.org"
    mail.set_content("The light is green.\n")
    mail.add_alternative("<p>The light is <b>green</b>.</p>", subtype="html")
    mail.add_attachment(b"12345", maintype="application", subtype="pdf", filename="plan.pdf")
    document = parse(mail.as_bytes(), media_type="message/rfc822")

    assert document.text == (
        "Grüne Lichter\n\nFrom: Jörg <j@example.org>\nTo: a@example.org\n\nThe light is green.\n\n"
        "Attachment: plan.pdf (application/pdf, 5 bytes)"
    )
    assert headings_of(document) == [(1, "Grüne Lichter")]
    assert document.notes == ("what is attached is not read: plan.pdf (application/pdf, 5 bytes)",)


def test_the_body_of_a_mail_may_be_html_in_its_own_encoding() -> None:
    head = "Subject: s\r\nMIME-Version: 1.0\r\nContent-Type: text/html; charset=iso-8859-1\r\n\r\n"

    assert parse((head + "<p>Grün<br>er").encode("latin-1"), "mail").text == "s\n\nGrün\ner"
    with pytest.raises(UnreadableDocumentError, match="no e-mail: it has no head"):
        parse("just words", "mail")


def test_html_has_headings_and_tables() -> None:
    html = (
        "<h1>Quays</h1><p>Old.</p><h2></h2><table><tr><th>stone<th>tons<tr><td colspan=2>granite<tr><td>basalt<td>7"
        "<tr><td><td></table><h3> The <b>light</b> </h3>"
    )
    document = parse(html, "html")

    assert document.text == "Quays\n\nOld.\n\nstone | tons\ngranite\nbasalt | 7\n|\n\nThe light"
    assert headings_of(document) == [(1, "Quays"), (3, "The light")]
    assert rows_of(document) == {HEADER: "stone | tons", 0: "granite", 1: "basalt | 7", 2: "|"}
    assert document.tables[0].columns == ("stone", "tons")
    assert cells_of(document, 2) == ["basalt", "7"]


def test_a_table_within_a_table_has_its_own_rows() -> None:
    document = parse("<table><tr><td>a<table><tr><td>b<tr><td>c</table>d<tr><td>e</table>", "html")

    assert rows_of(document, 0) == {0: "a\n\nb\nc\n\nd", 1: "e"}
    assert rows_of(document, 1) == {0: "b", 1: "c"}


def test_markdown_has_headings_and_tables() -> None:
    document = parse("# The *mole*\n\ntext\n\n| stone | tons |\n|---|---|\n| granite | 12 |\n\nLights\n---", "markdown")

    assert headings_of(document) == [(1, "The mole"), (2, "Lights")]
    assert rows_of(document) == {HEADER: "stone | tons", 0: "granite | 12"}


@pytest.mark.parametrize(
    ("data", "name", "media_type", "text"),
    [
        (a_pdf(["words"]), "report.txt", "text/plain", "words"),
        (a_docx("words"), "report.pdf", "application/pdf", "words"),
        (a_pptx(("words", "", "")), "deck.zip", "application/zip", "words"),
        (an_xlsx({"s": [["words"]]}), "sheet.docx", "", "s\n\nwords"),
        (b"<html><body>words</body></html>", "page.csv", "text/csv", "words"),
        (b"MIME-Version: 1.0\r\nSubject: words\r\n\r\n", "mail.txt", "text/plain", "words"),
        (b"words", "words.pdf", "application/pdf", "words"),
        (b"a,b\n1,2", "words.csv", "application/pdf", "a: 1; b: 2"),
        ("wörter".encode("utf-16"), "x.docx", "application/octet-stream", "wörter"),
    ],
)
def test_bytes_decide_what_a_document_is_not_its_name(data: bytes, name: str, media_type: str, text: str) -> None:
    assert parse(data, media_type=media_type, name=name).text == text


def test_text_of_no_known_encoding_is_read_as_a_common_one_and_told() -> None:
    document = parse("naïve".encode("latin-1"), media_type="text/plain")

    assert document.text == "naïve"
    assert document.notes == ("byte 2 (0xef) is no UTF-8 and no other encoding is declared: read as windows-1252",)
    assert parse("naïve".encode(), media_type="text/plain").notes == ()
