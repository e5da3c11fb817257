"""Answers traced to the bytes of their originals, by the real command on a platform that it starts itself."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.e2e import command
from tests.unit.knowledge.pdf_files import a_pdf

EVALUATION = """\
name: Harbour
benchmarks:
  - jsonl: {documents: documents.jsonl, cases: cases.jsonl}
    evaluators: [evidence_recall(k=1), page_recall(k=1)]
recipes:
  - name: pages
    build: {chunker: page, indexes: [bm25]}
    query: [{engine: full_text_search, top_k: 3}]
  - name: words
    build: {chunker: tokens(size=6), indexes: [bm25]}
    query: [{engine: full_text_search, top_k: 3}]
"""
DOCUMENTS = """\
{"id": "guide", "path": "guide.pdf"}
{"id": "notes", "text": "The tide gauge stands at North Quay. Its lamp is green."}
"""
CASES = """\
{"id": "lamp", "query": "which lamp burns", "evidence": [{"locator": {"document_id": "guide", "page_number": 2}}]}
{"id": "fee", "query": "what is the fee", "evidence": [{"locator": {"document_id": "guide", "page_index": 0}}]}
"""


@dataclass(frozen=True, slots=True)
class Harbour:
    """An evaluation that has ended."""

    folder: Path
    evaluation_id: str


@pytest.fixture(scope="module")
def harbour(tmp_path_factory: pytest.TempPathFactory) -> Harbour:
    folder = tmp_path_factory.mktemp("harbour")
    (folder / "guide.pdf").write_bytes(a_pdf(["The fee is twelve.", "A lamp burns at the mole.", "Nothing else."]))
    (folder / "documents.jsonl").write_text(DOCUMENTS)
    (folder / "cases.jsonl").write_text(CASES)
    (folder / "harbour.yaml").write_text(EVALUATION)
    ended = command.run(["run", "harbour.yaml", "--json"], folder)
    assert ended.finished["state"] == "completed"
    return Harbour(folder, ended.finished["evaluation_id"])


def test_an_answer_is_traced_and_its_passages_are_what_the_originals_say(harbour: Harbour) -> None:
    ended = command.run(["trace", harbour.evaluation_id, "lamp", "--check", "--json"], harbour.folder)
    assert ended.code == 0, ended.err
    assert [line["traced"]["entrant"] for line in ended.lines] == ["pages/full_text_search", "words/full_text_search"]
    for line in ended.lines:
        assert (line["checked"], line["problems"]) == (True, {})
        passage = line["traced"]["answer"]["passages"][0]
        assert (passage["document_id"], passage["pages"]) == ("guide", {"start": 1, "stop": 2})
        assert passage["raw_key"].endswith("/guide/guide.pdf")
        assert {each["document_id"] for each in line["traced"]["documents"]} >= {"guide"}


def test_a_page_is_traced_to_the_answers_that_used_it(harbour: Harbour) -> None:
    ended = command.run(["trace", "--document", "guide", "--page", "2"], harbour.folder)
    assert ended.code == 0, ended.err
    rows = [line.split() for line in ended.out.splitlines()[1:]]
    assert {row[4] for row in rows if row[3] == "lamp"} == {"pages/full_text_search", "words/full_text_search"}
    assert {row[-1] for row in rows} <= {"2", "1–2", "2–3"}
    nothing = command.run(["trace", "--document", "guide", "--page", "9", harbour.evaluation_id], harbour.folder)
    assert nothing.out.strip() == "no answer used it"


def test_a_case_that_was_not_asked_is_not_found(harbour: Harbour) -> None:
    told = command.run(["trace", harbour.evaluation_id, "nobody"], harbour.folder)
    assert told.code == 3
    assert "no case 'nobody' was asked" in told.err
