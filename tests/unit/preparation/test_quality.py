"""What the report on a benchmark's data says."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from bakeoff.domain.errors import InvalidInputError
from tests.unit.preparation.conftest import Outcome
from tests.unit.preparation.question_samples import lines

Prepare = Callable[..., Outcome]
Write = Callable[..., Path]


@pytest.fixture
def prepare_lines(prepare_as: Prepare, tmp_path: Path) -> Callable[..., Outcome]:
    """Prepare a document `d1` and cases of JSON lines."""

    def run(*cases: object, text: str = "High water\nis at NOON.") -> Outcome:
        (tmp_path / "documents.jsonl").write_text(lines({"id": "d1", "title": "Tides", "text": text}))
        (tmp_path / "cases.jsonl").write_text(lines(*cases))
        return prepare_as("jsonl", documents=str(tmp_path / "documents.jsonl"), cases=str(tmp_path / "cases.jsonl"))

    return run


def evidence(text: str, document: str = "d1") -> dict[str, object]:
    return {"document": document, "text": text}


def test_evidence_whose_words_are_not_in_its_document_is_told(prepare_lines: Callable[..., Outcome]) -> None:
    outcome = prepare_lines(
        {"id": "a", "question": "a?", "evidence": [evidence("high water is at noon")]},
        {"id": "b", "question": "b?", "evidence": [evidence("low water is at six")]},
    )
    (finding,) = outcome.quality.findings
    assert (finding.code, finding.count) == ("evidence_not_in_document", 1)
    assert finding.examples == ("b d1: low water is at six",)


def test_evidence_in_a_title_is_in_the_document(prepare_lines: Callable[..., Outcome]) -> None:
    assert prepare_lines({"id": "a", "question": "a?", "evidence": [evidence("Tides high water")]}).findings == {}


def test_evidence_of_an_absent_document_dangles_and_is_not_looked_up(prepare_lines: Callable[..., Outcome]) -> None:
    outcome = prepare_lines(
        {"id": "a", "question": "a?", "evidence": [evidence("noon")]},
        {"id": "b", "question": "b?", "evidence": [evidence("six", "d2")]},
    )
    assert outcome.findings == {"dangling_judgement": 1}
    assert outcome.quality.ceiling == {"recall": 0.5, "ndcg@10": 0.5}


def test_cases_without_evidence_among_others_with_it_are_counted(prepare_lines: Callable[..., Outcome]) -> None:
    with_evidence = {"id": "a", "question": "a?", "evidence": [evidence("noon")]}
    outcome = prepare_lines(with_evidence, {"id": "b", "question": "b?", "answers": ["six"]})
    assert outcome.findings == {"case_without_evidence": 1}
    assert prepare_lines({"id": "b", "question": "b?", "answers": ["six"]}).findings == {}


def test_the_same_record_twice_is_one_document_and_told(prepare_as: Prepare, beir_folder: Write) -> None:
    line = b'{"_id":"d1","text":"High water."}\n'
    outcome = prepare_as("beir", path=str(beir_folder(corpus=line + b'{"_id":"d2","text":"x"}\n' + line)))
    assert outcome.manifest.documents == 2
    assert outcome.findings == {"duplicate_document": 1}


def test_two_documents_with_one_id_are_refused_with_both_lines(prepare_as: Prepare, beir_folder: Write) -> None:
    corpus = b'{"_id":"d1","text":"High."}\n{"_id":"d1","text":"Low."}\n'
    with pytest.raises(InvalidInputError, match=r"two documents have the id 'd1' on lines 1 and 2"):
        prepare_as("beir", path=str(beir_folder(corpus=corpus)))


def test_queries_that_are_in_the_train_split_are_counted(prepare_as: Prepare, beir_folder: Write) -> None:
    folder = beir_folder()
    (folder / "qrels" / "train.tsv").write_text("query-id\tcorpus-id\tscore\nq1\td2\t1\nq9\td2\t1\n")
    assert prepare_as("beir", path=str(folder)).findings == {"case_in_train_split": 1}


def test_a_gold_answer_without_a_word_is_told(prepare_as: Prepare, tmp_path: Path) -> None:
    case = {"query": "a?", "answer": " ", "question_type": "x", "evidence_list": [{"fact": "f", "title": "t"}]}
    (tmp_path / "MultiHopRAG.json").write_text(json.dumps([case]))
    assert "empty_answer" in prepare_as("multihop_rag", path=str(tmp_path), articles="facts").findings
