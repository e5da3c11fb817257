"""The adapters for CRAG and FinanceBench."""

from __future__ import annotations

import bz2
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from bakeoff.domain.errors import InvalidInputError
from tests.unit.preparation.conftest import Outcome
from tests.unit.preparation.document_samples import CRAG, FINANCE
from tests.unit.preparation.question_samples import lines

Prepare = Callable[..., Outcome]


@pytest.fixture
def crag(tmp_path: Path) -> str:
    path = tmp_path / "crag_task_1_and_2_dev_v4.jsonl.bz2"
    path.write_bytes(bz2.compress(lines(*CRAG).encode()))
    return str(path)


@pytest.fixture
def filings(tmp_path: Path) -> Path:
    (tmp_path / "pdfs").mkdir()
    (tmp_path / "financebench_open_source.jsonl").write_text(lines(*FINANCE))
    (tmp_path / "pdfs" / "3M_2018_10K.pdf").write_text("%PDF-1.4\n% 2018")
    return tmp_path


def test_the_pages_of_a_question_are_its_knowledge_base(prepare_as: Prepare, crag: str) -> None:
    outcome = prepare_as("crag", path=crag)
    assert [unit.document_ids for unit in outcome.reader.units()] == [("7bb29eb4-0/0",), ("7bb29eb4-1/0",)]
    page = outcome.documents[0]
    assert (page.media_type, page.metadata) == ("text/html", {"title": "Tides", "url": "https://tides.example"})
    assert outcome.bytes_of(page).startswith(b"<html>")


def test_every_gold_answer_and_label_of_a_question_is_kept(prepare_as: Prepare, crag: str) -> None:
    case = prepare_as("crag", path=crag).cases[0]
    assert case.expected.answers == ("noon", "12 o'clock")
    assert case.labels == {"domain": "open", "question_type": "simple", "static_or_dynamic": "static"}
    assert case.metadata == {"query_time": "03/05/2024, 23:18:31 PT"}


def test_a_split_of_the_file_can_be_taken_alone(prepare_as: Prepare, crag: str) -> None:
    assert [case.case_id for case in prepare_as("crag", path=crag, split="test").cases] == ["7bb29eb4-1"]


def test_short_texts_can_stand_for_the_pages(prepare_as: Prepare, crag: str) -> None:
    outcome = prepare_as("crag", path=crag, pages="snippet")
    assert outcome.bytes_of(outcome.documents[0]) == b"High water is at noon."


def test_a_page_without_content_is_told(prepare_as: Prepare, tmp_path: Path) -> None:
    empty = {**CRAG[0], "search_results": [{"page_name": "x", "page_result": ""}]}
    (tmp_path / "crag.jsonl").write_text(lines(empty, {**CRAG[1], "search_results": []}))
    outcome = prepare_as("crag", path=str(tmp_path / "crag.jsonl"))
    assert outcome.findings == {"empty_document": 1, "question_without_page": 1}


def test_a_file_that_breaks_off_is_an_error(prepare_as: Prepare, tmp_path: Path) -> None:
    whole = bz2.compress(lines(*CRAG).encode())
    (tmp_path / "crag.jsonl.bz2").write_bytes(whole[: len(whole) - 40])
    with pytest.raises(InvalidInputError, match=r"crag\.jsonl\.bz2' is damaged after line 0"):
        prepare_as("crag", path=str(tmp_path / "crag.jsonl.bz2"))


def test_pages_of_filings_count_from_0_and_are_the_evidence(prepare_as: Prepare, filings: Path) -> None:
    outcome = prepare_as("financebench", path=str(filings))
    (case,) = outcome.cases
    assert case.expected.evidence[0].locator == {"document_id": "3M_2018_10K", "page_index": 59}
    assert case.expected.metadata == {"evidence_texts": ["1,577"], "justification": "There."}
    assert outcome.findings == {"document_absent": 1}


def test_a_corpus_has_filings_of_which_nothing_is_asked(prepare_as: Prepare, filings: Path) -> None:
    (filings / "pdfs" / "ZZ_2020_10K.pdf").write_text("%PDF-1.4\n% other")
    assert prepare_as("financebench", path=str(filings)).manifest.documents == 2
    outcome = prepare_as("financebench", path=str(filings), scope="document")
    assert [(unit.unit_id, unit.document_ids) for unit in outcome.reader.units()] == [("3M_2018_10K", ("3M_2018_10K",))]


def test_a_row_without_a_question_is_refused(prepare_as: Prepare, filings: Path) -> None:
    broken = {name: value for name, value in FINANCE[0].items() if name != "question"}
    (filings / "financebench_open_source.jsonl").write_text(json.dumps(broken))
    with pytest.raises(InvalidInputError, match=r"financebench_open_source\.jsonl:1: row 1: .*question"):
        prepare_as("financebench", path=str(filings))
