"""The adapter for UDA."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from bakeoff.domain.errors import InvalidInputError
from tests.unit.preparation.conftest import Outcome

Prepare = Callable[..., Outcome]
FIN = (
    "doc_name|q_uid|question|answer_1|answer_2\n"
    "ADI_2009|ADI/2009/page_49.pdf-1|what is the interest expense in 2009?|380|3.8\n"
    "GS_2016|GS/2016/page_79.pdf-3|what share?|57%|0.57484\n"
    "ADI_2009|ADI/2009/page_59.pdf-2|did it grow?|yes|yes\n"
)


@pytest.fixture
def uda(tmp_path: Path) -> Path:
    """The benchmark with one of the two reports that its questions are about."""
    files = {
        "dataset/qa/fin_qa.csv": FIN,
        "dataset/src_doc_files_example/fin_docs/ADI_2009.pdf": "%PDF-1.4\n",
        "dataset/extended_qa_info/GS_2016.pdf": "%PDF-1.4\n% a page alone",
    }
    for name, text in files.items():
        (tmp_path / "uda" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "uda" / name).write_text(text)
    return tmp_path / "uda"


def write(uda: Path, subset: str, folder: str, document: str, rows: str) -> None:
    (uda / "dataset" / "qa" / f"{subset}_qa.csv").write_text(rows)
    path = uda / "dataset" / "src_doc_files_example" / folder / f"{document}.pdf"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("%PDF-1.4\n")


def test_each_document_is_a_unit_with_the_questions_about_it(prepare_as: Prepare, uda: Path) -> None:
    outcome = prepare_as("uda", path=str(uda))
    (unit,) = outcome.reader.units()
    assert (unit.unit_id, unit.document_ids, unit.cases_stop - unit.cases_start) == ("ADI_2009", ("ADI_2009",), 2)


def test_the_page_in_a_question_s_id_is_its_evidence_counted_from_0(prepare_as: Prepare, uda: Path) -> None:
    case = prepare_as("uda", path=str(uda)).cases[0]
    assert case.case_id == "ADI/2009/page_49.pdf-1"
    assert case.expected.evidence[0].locator == {"document_id": "ADI_2009", "page_index": 48}


def test_what_the_annotator_wrote_and_what_was_computed_are_both_kept(prepare_as: Prepare, uda: Path) -> None:
    first, second = prepare_as("uda", path=str(uda)).cases
    assert (first.expected.answers, first.expected.value) == (("380",), 3.8)
    assert (second.expected.answers, second.expected.value) == (("yes",), "yes")


def test_questions_about_absent_documents_are_counted(prepare_as: Prepare, uda: Path) -> None:
    (finding,) = prepare_as("uda", path=str(uda)).quality.findings
    assert (finding.code, finding.count, finding.examples) == (
        "document_absent",
        1,
        ("GS/2016/page_79.pdf-3 (GS_2016)",),
    )


def test_questions_about_absent_documents_may_be_refused(prepare_as: Prepare, uda: Path) -> None:
    with pytest.raises(InvalidInputError, match=r"question 'GS/2016/page_79\.pdf-3': there is no file GS_2016\.pdf"):
        prepare_as("uda", path=str(uda), only_present=False)


def test_when_no_document_is_there_that_is_an_error(prepare_as: Prepare, uda: Path, tmp_path: Path) -> None:
    (tmp_path / "none").mkdir()
    (tmp_path / "none" / "other.pdf").write_text("%PDF-1.4\n")
    with pytest.raises(
        InvalidInputError, match=r"none of the documents that fin_qa\.csv asks about is there; set documents"
    ):
        prepare_as("uda", path=str(uda), documents=str(tmp_path / "none"))


def test_a_row_that_a_line_end_tore_apart_is_put_together(prepare_as: Prepare, uda: Path) -> None:
    write(
        uda,
        "feta",
        "wiki_docs",
        "Rashida Jones",
        "doc_name|q_uid|question|answer|doc_url\n"
        "Rashida Jones|8114|Which roles?\n"
        "|In 2000, she starred as Karen.|http://en.wikipedia.org/wiki/Rashida_Jones\n",
    )
    outcome = prepare_as("uda", path=str(uda), subset="feta")
    (case,) = outcome.cases
    assert (case.query, case.expected.answers) == ("Which roles?", ("In 2000, she starred as Karen.",))
    assert outcome.findings == {"mended_row": 1}


def test_a_row_that_is_too_short_by_itself_is_refused(prepare_as: Prepare, uda: Path) -> None:
    write(uda, "feta", "wiki_docs", "A", "doc_name|q_uid|question|answer|doc_url\nA|1|Which?\nA|2|Who?|x|y\n")
    with pytest.raises(InvalidInputError, match="has 3 values, but there are 5 columns"):
        prepare_as("uda", path=str(uda), subset="feta")


def test_spans_of_one_answer_and_their_scale_are_kept(prepare_as: Prepare, uda: Path) -> None:
    write(
        uda,
        "tat",
        "tat_docs",
        "lifeway_2019",
        "doc_name|q_uid|question|answer|answer_scale|answer_type\n"
        "lifeway_2019|f4c8|Which prices?|['$ 5.99', '$ 4.79']|thousand|multi-span\n",
    )
    (case,) = prepare_as("uda", path=str(uda), subset="tat").cases
    assert case.expected.answers == ("$ 5.99", "$ 4.79")
    assert case.expected.metadata == {"scale": "thousand"}
    assert case.labels == {"answer_type": "multi-span", "scale": "thousand"}


def test_an_answer_that_is_no_list_is_refused_with_its_row(prepare_as: Prepare, uda: Path) -> None:
    rows = "doc_name|q_uid|question|answer|answer_scale|answer_type\nA|1|Which?|5.99||span\n"
    write(uda, "tat", "tat_docs", "A", rows)
    with pytest.raises(InvalidInputError, match=r"tat_qa\.csv:2: row 1, answer: must be a list"):
        prepare_as("uda", path=str(uda), subset="tat")


def test_blank_references_of_papers_are_none(prepare_as: Prepare, uda: Path) -> None:
    rows = 'doc_name|q_uid|question|answer_1|answer_2|answer_3\n1809.01202|4c|Which?|"a ""b"" | c"|d| \n'
    write(uda, "paper_text", "paper_docs", "1809.01202", rows)
    (case,) = prepare_as("uda", path=str(uda), subset="paper_text").cases
    assert case.expected.answers == ('a "b" | c', "d")


def test_each_subset_is_scored_by_its_own_script(prepare_as: Prepare, uda: Path) -> None:
    names = [str(spec) for spec in prepare_as("uda", path=str(uda)).manifest.evaluators]
    assert names[:3] == ["page_recall(k=1)", "page_recall(k=5)", "page_recall(k=10)"]
    assert 'uda(subset="fin")' in names


def write_words(uda: Path, subset: str, row: dict[str, object]) -> None:
    path = uda / "dataset" / "extended_qa_info_bench" / f"bench_{subset}_qa.json"
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps({"A": [row]}))


def test_sentences_of_papers_are_evidence_as_far_as_the_paper_has_them(prepare_as: Prepare, uda: Path) -> None:
    write(
        uda, "paper_text", "paper_docs", "A", "doc_name|q_uid|question|answer_1|answer_2|answer_3\nA|4c|Which?|a| | \n"
    )
    sentences = [
        "We use state-of-the-art taggers BIBREF13 , BIBREF12 .",
        "FLOAT SELECTED: Table 5: Causal explanation identification performance.",
        "See BIBREF1.",
    ]
    write_words(uda, "paper_text", {"q_uid": "4c", "evidence": [{"highlighted_evidence": sentences}]})
    (case,) = prepare_as("uda", path=str(uda), subset="paper_text").cases
    assert [(piece.locator, piece.text) for piece in case.expected.evidence] == [
        ({"document_id": "A"}, "We use state-of-the-art taggers")
    ]


def test_facts_that_tell_something_are_evidence(prepare_as: Prepare, uda: Path) -> None:
    rows = "doc_name|q_uid|question|answer|answer_scale|answer_type\nA|1|Which?|['1']||span\nA|2|Who?|['1']||span\n"
    write(uda, "tat", "tat_docs", "A", rows)
    write_words(uda, "tat", {"q_uid": 1, "facts": ["245,817", "2019", "12", "245,817"]})
    outcome = prepare_as("uda", path=str(uda), subset="tat")
    assert [piece.text for piece in outcome.cases[0].expected.evidence] == ["245,817"]
    assert outcome.findings == {"case_without_evidence": 1}
