"""Every cited text can be made again from the bytes of its original, whatever kind of file that is."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from bakeoff.domain import media_types
from bakeoff.domain.answer import Passage, Span
from bakeoff.domain.component import ComponentSpec
from bakeoff.domain.errors import DigestMismatchError, InvalidInputError
from bakeoff.domain.identity import sha256_hex
from bakeoff.domain.recipe import BuildPart, QueryMode
from bakeoff.knowledge.build import build_knowledge_base
from bakeoff.knowledge.parsing import SourceDocument
from bakeoff.knowledge.rebuilding import parsed_again, rebuilt, source_of
from bakeoff.knowledge.registries import parsers
from bakeoff.knowledge.search import open_knowledge_base
from tests.unit.knowledge.office_files import a_docx, a_pptx, an_xlsx
from tests.unit.knowledge.pdf_files import a_pdf

WORDS = QueryMode("words", ComponentSpec("full_text_search"), 50)
LONG = " ".join(f"The mole number {number} is guarded by a lamp and a gauge." for number in range(40))
ROWS = [["Port", "Fee"], ["North Quay", "12"], ["South mole", "14"]]
MAIL = (
    "From: a@example.org\nTo: b@example.org\nSubject: The mole\nDate: Mon, 5 Jan 2032 10:00:00 +0000\n\n"
    "The mole is long.\n"
)
MARKDOWN = f"# The mole\n\n*Grün* ist [das](x) Licht.\n\n| Port | Fee |\n|---|---|\n| mole | 3 |\n\n{LONG}"
HTML = (
    f"<html><head><title>x</title></head><body><h1>Mole</h1><p>Gr&uuml;n &amp; mole {LONG}</p><table>"
    "<tr><th>Port</th><th>Fee</th></tr><tr><td>mole</td><td>3</td></tr></table></body></html>"
)
PAGES = ["The mole is long.", "Page two has a mole.", "The last page: mole."]
SLIDES = (("The mole", LONG, "notes on the mole"), ("Fees", "mole fees", ""))
SHEETS: dict[str, list[list[object]]] = {
    "Rates": [["Port", "Fee"], ["North Quay", 12], ["South mole", 14]],
    "Moles": [["mole", 1], ["other mole", 2.5]],
}
CSV = "Port,Fee\n" + "".join(f'"mole, {number}",{number}\n' for number in range(30))
RECORDS = b"".join(
    json.dumps({"_id": f"r{number}", "title": f"Mole {number}", "text": LONG[: 60 * number + 60]}).encode() + b"\n"
    for number in range(5)
)
FILES = {
    "text": ("a.txt", "text/plain", ("Grün ist der mole.\r\n\r\n港口 mole. " + LONG).encode()),
    "markdown": ("a.md", "text/markdown", MARKDOWN.encode()),
    "html": ("a.html", "text/html", HTML.encode()),
    "pdf": ("a.pdf", media_types.PDF, a_pdf(PAGES, labels="0 << /S /r >>")),
    "docx": ("a.docx", media_types.DOCX, a_docx("# The mole", LONG, ROWS, "## Lamps", "Grün mole.")),
    "pptx": ("a.pptx", media_types.PPTX, a_pptx(*SLIDES, table=ROWS)),
    "xlsx": ("a.xlsx", media_types.XLSX, an_xlsx(SHEETS)),
    "csv": ("a.csv", "text/csv", CSV.encode()),
    "json_lines": ("a.jsonl", "application/jsonl", RECORDS),
    "mail": ("a.eml", media_types.MAIL, MAIL.encode()),
    "record": ("corpus.jsonl", media_types.RECORD, RECORDS),
}
"""Name, media type and bytes of a file for each parser."""
OPTIONAL = ("kreuzberg",)
"""Parsers whose libraries need not be installed."""
CHUNKERS = (
    "none",
    "tokens(size=12, overlap=5)",
    "sentences(max_tokens=20)",
    "recursive(max_tokens=16)",
    "page",
    "table_rows",
    "headings",
)


def sources(kind: str) -> list[SourceDocument]:
    """Return the documents of a file: itself, or each of its records."""
    name, media_type, data = FILES[kind]
    key, digest = f"raw/benchmarks/b/test/{kind}/{name}", sha256_hex(data)
    if kind != "record":
        return [SourceDocument(kind, data, media_type, name, key, digest)]
    found, start = [], 0
    for number, line in enumerate(data.splitlines(keepends=True)):
        span = Span(start, start + len(line))
        found.append(SourceDocument(f"r{number}", line, media_type, name, key, digest, span))
        start += len(line)
    return found


def cited(folder: Path, documents: Sequence[SourceDocument], part: BuildPart) -> tuple[Passage, ...]:
    build_knowledge_base(documents, part, folder / "kb")
    (found,) = open_knowledge_base(folder / "kb").search(["mole"], WORDS, text_ranks=50)
    assert isinstance(found, Sequence)
    assert found
    return tuple(found)


def test_every_kind_of_parser_is_audited() -> None:
    known = {card.name for card in parsers.load().cards() if not card.name.endswith("_for_tests")}
    # `scanned` needs its user's language files, and gives what is no picture to `auto`: see test_scanned.py.
    assert known - {"auto", "scanned", *OPTIONAL} == set(FILES)


@pytest.mark.parametrize("parser", OPTIONAL)
@pytest.mark.parametrize("kind", ["pdf", "docx"])
def test_what_an_optional_parser_read_is_rebuilt_too(tmp_path: Path, kind: str, parser: str) -> None:
    pytest.importorskip(parser)
    name, media_type, original = FILES[kind]
    part = BuildPart(parser=ComponentSpec(parser), chunker=ComponentSpec("tokens", {"size": 5}))
    for passage in cited(tmp_path, sources(kind), part):
        again = rebuilt(passage, parsed_again(part.parser, source_of(passage, original, name, media_type)))
        assert again.text == passage.text


@pytest.mark.parametrize("chunker", CHUNKERS)
@pytest.mark.parametrize("kind", FILES)
def test_cited_chunks_are_rebuilt_from_the_bytes_of_their_originals(tmp_path: Path, kind: str, chunker: str) -> None:
    name, media_type, original = FILES[kind]
    part = BuildPart(chunker=ComponentSpec.parse(chunker))
    for passage in cited(tmp_path, sources(kind), part):
        again = rebuilt(passage, parsed_again(part.parser, source_of(passage, original, name, media_type)))
        assert again.text == passage.text
        assert again.pages == (tuple(range(passage.pages.start, passage.pages.stop)) if passage.pages else ())


def test_other_bytes_than_those_that_were_cited_are_refused(tmp_path: Path) -> None:
    name, media_type, original = FILES["text"]
    passage = cited(tmp_path, sources("text"), BuildPart())[0]
    with pytest.raises(DigestMismatchError, match="has the SHA-256"):
        source_of(passage, original + b" ", name, media_type)


def test_a_span_beyond_the_text_is_refused(tmp_path: Path) -> None:
    name, media_type, original = FILES["text"]
    passage = replace(cited(tmp_path, sources("text"), BuildPart())[0], chars=Span(0, 10**6))
    with pytest.raises(InvalidInputError, match="a text that ends at"):
        rebuilt(passage, parsed_again(ComponentSpec("auto"), source_of(passage, original, name, media_type)))


def test_h9_pages_of_one_document_are_never_those_of_the_one_before(tmp_path: Path) -> None:
    documents = [*sources("pdf"), *sources("text")]
    found = cited(tmp_path, documents, BuildPart(chunker=ComponentSpec("tokens", {"size": 5})))
    assert {passage.pages for passage in found if passage.document_id == "text"} == {None}
    assert {passage.pages for passage in found if passage.document_id == "pdf"} != {None}


def test_h10_the_last_chunk_of_a_long_pdf_is_on_its_last_page(tmp_path: Path) -> None:
    data = a_pdf([f"The mole on page {number}." for number in range(1, 382)])
    document = SourceDocument("long", data, media_types.PDF, "long.pdf")
    part = BuildPart(chunker=ComponentSpec("tokens", {"size": 4}))
    build_knowledge_base([document], part, tmp_path / "kb")
    (found,) = open_knowledge_base(tmp_path / "kb").search(["381"], WORDS, text_ranks=1)
    assert isinstance(found, Sequence)
    assert max(passage.pages.stop for passage in found if passage.pages) == 381


def test_h11_roman_front_matter_has_its_place_and_its_printed_number(tmp_path: Path) -> None:
    found = cited(tmp_path, sources("pdf"), BuildPart(chunker=ComponentSpec("page")))
    assert {(passage.pages, passage.page_label) for passage in found} == {
        (Span(0, 1), "i"),
        (Span(1, 2), "ii"),
        (Span(2, 3), "iii"),
    }
