"""The adapters for questions with paragraphs (HotpotQA, 2WikiMultihopQA) and for MultiHop-RAG."""

from __future__ import annotations

import bz2
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bakeoff.domain.benchmark import BuildScope
from bakeoff.domain.errors import InvalidInputError
from tests.unit.preparation.conftest import Outcome
from tests.unit.preparation.document_samples import ARTICLES, HOTPOT, LOW, MULTIHOP, TWO_WIKI

Prepare = Callable[..., Outcome]


def write(path: Path, value: object) -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value))
    return str(path)


def documents_of(outcome: Outcome) -> list[str]:
    return [document.document_id for document in outcome.documents]


def test_each_question_has_its_own_paragraphs_as_its_knowledge_base(prepare_as: Prepare, tmp_path: Path) -> None:
    other = {**HOTPOT[1], "context": [["Low", ["Tides.", f" {LOW}"]], ["Gulls", ["Birds."]]]}
    outcome = prepare_as("hotpotqa", path=write(tmp_path / "hotpot_dev_distractor_v1.json", [HOTPOT[0], other]))
    assert documents_of(outcome) == ["High", "Low", "Gulls"]
    assert [unit.document_ids for unit in outcome.reader.units()] == [("High", "Low"), ("Low", "Gulls")]
    assert outcome.manifest.benchmark.build_scope is BuildScope.CASE


def test_a_limit_prepares_the_paragraphs_of_its_questions_alone(prepare_as: Prepare, tmp_path: Path) -> None:
    other = {**HOTPOT[1], "_id": "q9", "context": [["Low", ["Tides.", f" {LOW}"]], ["Gulls", ["Birds."]]]}
    path = write(tmp_path / "hotpot_dev_distractor_v1.json", [HOTPOT[0], other])
    whole, limited = prepare_as("hotpotqa", path=path), prepare_as("hotpotqa", path=path, limit=1)

    assert documents_of(whole) == ["High", "Low", "Gulls"]
    assert documents_of(limited) == ["High", "Low"]
    # The knowledge base is that of the whole benchmark: a first trial's work is used by what follows.
    assert limited.reader.units() == whole.reader.units()[:1]
    assert limited.quality.documents == 2
    assert not limited.findings.keys() - whole.findings.keys()


def test_a_limit_leaves_a_shared_corpus_whole(prepare_as: Prepare, tmp_path: Path) -> None:
    path = write(tmp_path / "hotpot_dev_fullwiki_v1.json", HOTPOT)
    limited = prepare_as("hotpotqa", path=path, setting="full", limit=1)
    assert (documents_of(limited), limited.manifest.cases) == (["High", "Low"], 1)


def test_what_a_limit_leaves_out_is_not_missing(prepare_as: Prepare, tmp_path: Path) -> None:
    elsewhere = {**HOTPOT[1], "_id": "q9", "context": [["Gulls", ["Birds."]]]}
    asked = {**HOTPOT[0], "supporting_facts": [["High", 1], ["Gulls", 0]]}
    path = write(tmp_path / "hotpot_dev_distractor_v1.json", [asked, elsewhere])
    limited = prepare_as("hotpotqa", path=path, limit=1)
    # Evidence that lies in the unit of a question that is not asked is there.
    assert "dangling_judgement" not in limited.findings
    assert documents_of(limited) == ["High", "Low", "Gulls"]


def test_the_supporting_sentences_are_kept_for_the_official_figures(prepare_as: Prepare, tmp_path: Path) -> None:
    case = prepare_as("hotpotqa", path=write(tmp_path / "hotpot_dev_distractor_v1.json", HOTPOT)).cases[0]
    assert case.expected.metadata == {"supporting_facts": [["High", 1]]}
    assert case.expected.evidence[0].locator == {"document_id": "High"}
    assert case.labels == {"type": "bridge", "level": "easy"}


def test_in_full_all_questions_share_one_corpus(prepare_as: Prepare, tmp_path: Path) -> None:
    path = write(tmp_path / "hotpot_dev_fullwiki_v1.json", HOTPOT)
    outcome = prepare_as("hotpotqa", path=path, setting="full")
    (unit,) = outcome.reader.units()
    assert (unit.document_ids, unit.documents, outcome.manifest.cases) == ((), 2, 2)


def test_the_columns_of_the_datasets_library_are_the_same_as_the_lists(prepare_as: Prepare, tmp_path: Path) -> None:
    rows = [
        {
            "id": row["_id"],
            "question": row["question"],
            "answer": row["answer"],
            "type": row["type"],
            "level": row["level"],
            "supporting_facts": {"title": ["High" if row["_id"] == "q1" else "Low"], "sent_id": [1]},
            "context": {"title": ["High", "Low"], "sentences": [pair[1] for pair in row["context"]]},
        }
        for row in HOTPOT
    ]
    lists = prepare_as("hotpotqa", path=write(tmp_path / "a" / "dev.json", HOTPOT))
    columns = prepare_as("hotpotqa", path=write(tmp_path / "b" / "dev.json", rows))
    assert columns.cases == lists.cases
    assert [lists.bytes_of(each) for each in lists.documents] == [columns.bytes_of(each) for each in columns.documents]


def test_a_title_that_two_texts_share_is_two_documents(prepare_as: Prepare, tmp_path: Path) -> None:
    other = {**HOTPOT[1], "context": [["Low", ["Another low."]]]}
    outcome = prepare_as("hotpotqa", path=write(tmp_path / "dev.json", [HOTPOT[0], other]))
    assert documents_of(outcome) == ["High", "Low", "Low~2"]
    assert outcome.cases[1].expected.evidence[0].locator == {"document_id": "Low~2"}


def test_sentences_with_and_without_their_spaces_become_one_text(prepare_as: Prepare, tmp_path: Path) -> None:
    hotpot = prepare_as("hotpotqa", path=write(tmp_path / "a" / "dev.json", HOTPOT))
    wiki = prepare_as("two_wiki", path=write(tmp_path / "b" / "dev.json", TWO_WIKI))
    assert wiki.bytes_of(wiki.documents[1]) == hotpot.bytes_of(hotpot.documents[1])
    assert f"Tides. {LOW}".encode() in wiki.bytes_of(wiki.documents[1])


def test_a_corpus_of_its_own_keeps_its_numbers(prepare_as: Prepare, tmp_path: Path) -> None:
    corpus = [
        {"title": title, "text": text, "idx": n} for n, (title, text) in enumerate((("Low", LOW), ("Gulls", "x")))
    ]
    outcome = prepare_as(
        "two_wiki",
        path=write(tmp_path / "2wikimultihopqa.json", TWO_WIKI),
        corpus=write(tmp_path / "2wikimultihopqa_corpus.json", corpus),
    )
    assert documents_of(outcome) == ["0", "1"]
    assert [case.expected.evidence[0].locator for case in outcome.cases] == [
        {"document_id": "High"},
        {"document_id": "0"},
    ]
    # The paragraph that the corpus lacks is judged all the same, and lowers what can be reached.
    assert outcome.findings == {"dangling_judgement": 1}
    assert outcome.quality.ceiling["recall"] == 0.5


def test_the_compressed_dump_of_wikipedia_is_a_corpus(prepare_as: Prepare, tmp_path: Path) -> None:
    page = {"id": "12", "url": "x", "title": "High", "text": [["Tides.", " High water is at noon."], ["More."]]}
    (tmp_path / "dump" / "AA").mkdir(parents=True)
    (tmp_path / "dump" / "AA" / "wiki_00.bz2").write_bytes(bz2.compress(json.dumps(page).encode() + b"\n"))
    path = write(tmp_path / "hotpot_dev_fullwiki_v1.json", HOTPOT[:1])
    outcome = prepare_as("hotpotqa", path=path, setting="full", corpus=str(tmp_path / "dump"))
    assert outcome.cases[0].expected.evidence[0].locator == {"document_id": "12"}
    assert b"High water is at noon.\\nMore." in outcome.bytes_of(outcome.documents[0])


def test_marked_paragraphs_are_evidence(prepare_as: Prepare, tmp_path: Path) -> None:
    row = {
        "question": "high?",
        "answer": ["noon", "12"],
        "paragraphs": [
            {"title": "High", "paragraph_text": "At noon.", "is_supporting": True},
            {"title": "Low", "paragraph_text": "At six.", "is_supporting": False},
        ],
    }
    (case,) = prepare_as("two_wiki", path=write(tmp_path / "dev.json", [row])).cases
    assert (case.case_id, case.expected.answers) == ("0", ("noon", "12"))
    assert [piece.reference_id for piece in case.expected.evidence] == ["High"]


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"question": ""}, "row 1, question: must be text"),
        ({"context": [["High", "no list"]]}, r"row 1, context\[0\]: must be \[title, sentences\]"),
        ({"supporting_facts": [["High", "1"]]}, r"row 1, supporting_facts\[0\]: must be \[title, number\]"),
        ({"context": []}, "has no paragraphs"),
    ],
)
def test_a_row_that_is_no_question_is_refused(
    prepare_as: Prepare, tmp_path: Path, change: dict[str, Any], problem: str
) -> None:
    with pytest.raises(InvalidInputError, match=problem):
        prepare_as("hotpotqa", path=write(tmp_path / "dev.json", [{**HOTPOT[0], **change}]))


def test_facts_are_evidence_by_article_and_words(prepare_as: Prepare, tmp_path: Path) -> None:
    write(tmp_path / "MultiHopRAG.json", MULTIHOP)
    write(tmp_path / "corpus.json", ARTICLES)
    outcome = prepare_as("multihop_rag", path=str(tmp_path))
    first, second = outcome.cases
    (piece,) = first.expected.evidence
    assert first.case_id == "multihop_rag_0000"
    assert piece.locator == {"document_id": documents_of(outcome)[0]}
    assert piece.text == "High water is at noon."
    assert outcome.documents[0].metadata == {"source": "Tides", "url": "https://tides.example/high"}
    assert (second.labels, second.expected.evidence) == ({"question_type": "null_query"}, ())
    assert outcome.findings == {"case_without_evidence": 1}


def test_a_fact_that_is_not_in_its_article_is_told(prepare_as: Prepare, tmp_path: Path) -> None:
    write(tmp_path / "MultiHopRAG.json", MULTIHOP[:1])
    write(tmp_path / "corpus.json", [{**ARTICLES[0], "body": "Something else."}])
    assert prepare_as("multihop_rag", path=str(tmp_path)).findings == {"evidence_not_in_document": 1}


def test_without_the_corpus_articles_of_facts_must_be_asked_for(prepare_as: Prepare, tmp_path: Path) -> None:
    write(tmp_path / "MultiHopRAG.json", MULTIHOP)
    with pytest.raises(InvalidInputError, match=r"has no file 'corpus\.json'"):
        prepare_as("multihop_rag", path=str(tmp_path))
    outcome = prepare_as("multihop_rag", path=str(tmp_path), articles="facts")
    assert outcome.manifest.documents == 1
    assert outcome.findings["corpus_of_facts"] == 1


def test_two_articles_with_one_address_are_refused(prepare_as: Prepare, tmp_path: Path) -> None:
    write(tmp_path / "MultiHopRAG.json", MULTIHOP)
    write(tmp_path / "corpus.json", [ARTICLES[0], ARTICLES[0]])
    with pytest.raises(InvalidInputError, match=r"row 2, url: 'https://tides\.example/high' is already in row 1"):
        prepare_as("multihop_rag", path=str(tmp_path))
