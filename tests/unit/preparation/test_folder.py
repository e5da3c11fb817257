"""The adapter for a folder of files and a YAML file of questions."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from bakeoff.domain.component import ComponentSpec
from bakeoff.domain.errors import InvalidInputError, NotFoundError
from bakeoff.preparation.registries import adapters
from tests.conftest import ROOT
from tests.unit.preparation.conftest import Outcome

Prepare = Callable[..., Outcome]
QUESTIONS = """
cases:
  - id: q1
    question: When is high water?
    answers: [at noon, 12]
    evidence:
      - document: tides/high.md
        text: High water is at noon.
    labels: {type: number}
"""


@pytest.fixture
def harbour(tmp_path: Path) -> Path:
    """A folder with three documents, hidden files, and questions beside it."""
    files = {
        "documents/tides/high.md": "# Tides\n\nHigh water is at noon.\n",
        "documents/tides/low.md": "Low water is at six.\n",
        "documents/plan.html": "<!doctype html><p>Plan</p>",
        "documents/.hidden": "no",
        "documents/.git/config": "no",
        "questions.yaml": QUESTIONS,
    }
    for name, text in files.items():
        (tmp_path / "harbour" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "harbour" / name).write_text(text)
    return tmp_path / "harbour"


def settings(harbour: Path) -> dict[str, str]:
    return {"path": str(harbour / "documents"), "questions": str(harbour / "questions.yaml")}


def refusal(prepare_as: Prepare, harbour: Path, questions: str) -> str:
    (harbour / "questions.yaml").write_text(questions)
    with pytest.raises(InvalidInputError) as caught:
        prepare_as("folder", **settings(harbour))
    return str(caught.value)


def test_each_file_is_a_document_named_by_its_path(prepare_as: Prepare, harbour: Path) -> None:
    outcome = prepare_as("folder", **settings(harbour))
    assert [(each.document_id, each.name, each.media_type, each.span) for each in outcome.documents] == [
        ("plan.html", "plan.html", "text/html", None),
        ("tides/high.md", "high.md", "text/markdown", None),
        ("tides/low.md", "low.md", "text/markdown", None),
    ]
    assert outcome.bytes_of(outcome.documents[2]) == b"Low water is at six.\n"


def test_a_case_has_its_answers_evidence_and_labels(prepare_as: Prepare, harbour: Path) -> None:
    outcome = prepare_as("folder", **settings(harbour))
    (case,) = outcome.cases
    assert case.expected.answers == ("at noon", "12")
    assert case.expected.evidence[0].locator == {"document_id": "tides/high.md"}
    assert case.expected.evidence[0].text == "High water is at noon."
    assert case.labels == {"type": "number"}
    assert outcome.manifest.needs_texts


def test_a_benchmark_in_a_folder_documents_is_named_after_the_folder_above(prepare_as: Prepare, harbour: Path) -> None:
    assert prepare_as("folder", **settings(harbour)).manifest.benchmark.name == "harbour"


def test_the_questions_may_say_who_the_benchmark_is(prepare_as: Prepare, harbour: Path) -> None:
    (harbour / "questions.yaml").write_text("name: Marrowick\nlicence: Apache-2.0\n" + QUESTIONS)
    benchmark = prepare_as("folder", **settings(harbour)).manifest.benchmark
    assert (benchmark.name, benchmark.licence) == ("Marrowick", "Apache-2.0")


def test_questions_inside_of_the_folder_are_no_document(prepare_as: Prepare, harbour: Path) -> None:
    inside = harbour / "documents" / "questions.yaml"
    inside.write_text(QUESTIONS)
    outcome = prepare_as("folder", path=str(harbour / "documents"), questions=str(inside))
    assert outcome.manifest.documents == 3


def test_a_file_name_that_is_no_utf8_is_refused(prepare_as: Prepare, harbour: Path) -> None:
    (harbour / "documents" / os.fsdecode(b"caf\xe9.md")).write_text("x")
    with pytest.raises(InvalidInputError, match=r"'caf\\udce9\.md' is no UTF-8"):
        prepare_as("folder", **settings(harbour))


def test_methods_for_answers_are_used_when_there_are_gold_answers(prepare_as: Prepare, harbour: Path) -> None:
    names = [spec.name for spec in prepare_as("folder", **settings(harbour)).manifest.evaluators]
    assert names == [
        "ndcg",
        "recall",
        "reciprocal_rank",
        "evidence_recall",
        "answer_contains",
        "token_f1",
    ]
    (harbour / "questions.yaml").write_text(QUESTIONS.replace("    answers: [at noon, 12]\n", ""))
    names = [spec.name for spec in prepare_as("folder", **settings(harbour)).manifest.evaluators]
    assert names == ["ndcg", "recall", "reciprocal_rank", "evidence_recall"]


def test_evidence_in_a_file_that_is_not_there_is_refused_with_the_nearest(prepare_as: Prepare, harbour: Path) -> None:
    message = refusal(prepare_as, harbour, QUESTIONS.replace("tides/high.md", "tides/hihg.md"))
    assert "questions.yaml:3: q1.evidence[0].document: 'tides/hihg.md' is no file" in message
    assert "did you mean 'tides/high.md'?" in message


def test_all_faults_are_told_at_once_with_their_lines(prepare_as: Prepare, harbour: Path) -> None:
    message = refusal(
        prepare_as,
        harbour,
        "cases:\n"
        "  - id: q1\n    question: a\n    anwsers: [b]\n"
        "  - question: c\n"
        "  - id: q1\n    question: ''\n    answers: [1.50]\n    evidence: [{relevance: high}]\n"
        "extra: 1\n",
    )
    assert "questions.yaml:2: cases[0].anwsers: is no known field; did you mean 'answers'?" in message
    assert "questions.yaml:5: cases[1].id: is missing" in message
    assert "questions.yaml:6: cases[2].question: must not be empty" in message
    assert "questions.yaml:6: cases[2].answers: must be text; put 1.5 in quotes" in message
    assert "questions.yaml:6: cases[2].evidence[0].relevance: must be a whole number, not 'high'" in message
    assert "questions.yaml:10: extra: is no known field" in message


def test_two_cases_with_one_id_are_refused_with_both_lines(prepare_as: Prepare, harbour: Path) -> None:
    message = refusal(prepare_as, harbour, "cases:\n  - {id: q1, question: a}\n  - {id: q1, question: b}\n")
    assert "questions.yaml:3: cases[1].id: 'q1' is already on line 2" in message


def test_cases_that_share_a_line_are_all_read(prepare_as: Prepare, harbour: Path) -> None:
    (harbour / "questions.yaml").write_text("cases: [{id: a, question: a}, {id: b, question: b}]")
    assert [case.case_id for case in prepare_as("folder", **settings(harbour)).cases] == ["a", "b"]


def test_a_field_that_stands_twice_is_refused(prepare_as: Prepare, harbour: Path) -> None:
    message = refusal(prepare_as, harbour, "cases:\n  - id: q1\n    question: a\n    question: b\n")
    assert "questions.yaml:4: cases[0].question: stands there twice" in message


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("cases: [", "questions.yaml:2: did not find expected node content"),
        ("- a\n", "must be a mapping with cases"),
        ("cases: 3\n", "cases: must be a list"),
        ("cases: []\n", "cases: must have at least one case"),
        ("", "must be a mapping with cases"),
    ],
)
def test_a_file_that_holds_no_questions_is_refused(
    prepare_as: Prepare, harbour: Path, text: str, expected: str
) -> None:
    assert expected in refusal(prepare_as, harbour, text)


def test_a_questions_file_that_is_not_there_is_named(prepare_as: Prepare, harbour: Path) -> None:
    with pytest.raises(NotFoundError, match=r"question\.yaml' does not exist; did you mean .*questions\.yaml"):
        prepare_as("folder", path=str(harbour / "documents"), questions=str(harbour / "question.yaml"))


def test_the_quick_start_is_sound(prepare_as: Prepare) -> None:
    quickstart = ROOT / "examples" / "quickstart"
    outcome = prepare_as("folder", path=str(quickstart / "documents"), questions=str(quickstart / "questions.yaml"))
    assert outcome.manifest.benchmark.name == "quickstart"
    assert outcome.findings == {}
    assert outcome.quality.ceiling == {}
    assert outcome.manifest.cases >= 60


def test_addresses_are_refused_since_nothing_is_fetched() -> None:
    spec = ComponentSpec("folder", {"path": "s3://datasets/manuals.zip", "questions": "https://example.org/q.csv"})
    faults = adapters.load().make(spec).check()
    assert [fault.field for fault in faults] == ["path", "questions"]
    assert str(faults[0]).startswith("path: 's3://datasets/manuals.zip' must be a path of this machine")


@pytest.mark.parametrize(
    ("quote", "there"),
    [
        ("The mole is of granite, see the survey.", True),
        ("The mole is of **granite**", True),
        ("basalt | 7", True),
        ("snake_case", True),
        ("The mole is of basalt", False),
    ],
)
def test_words_are_found_in_markdown_as_its_reader_sees_them(
    prepare_as: Callable[..., Outcome], tmp_path: Path, quote: str, there: bool
) -> None:
    text = (
        "# Mole\n\nThe mole is of **gran**ite, see [the survey](survey.pdf).\n\n| a | b |\n|---|--:|\n| basalt | 7 |\n"
    )
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "mole.md").write_text(text + "\nIts name is `snake_case`.\n")
    row = {"question": "What?", "document": "mole.md", "evidence": quote}
    (tmp_path / "q.jsonl").write_text(json.dumps(row))
    found = prepare_as("folder", path=str(tmp_path / "docs"), questions=str(tmp_path / "q.jsonl")).findings
    assert ("evidence_not_in_document" not in found) is there
