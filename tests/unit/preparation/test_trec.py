"""The adapter for classic collections."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from bakeoff.domain.errors import InvalidInputError
from tests.unit.preparation.conftest import Outcome

Prepare = Callable[..., Outcome]
SGML = (
    "<DOC>\n<DOCNO> 1 </DOCNO>\n<TITLE>Wings &amp; slipstreams</TITLE>\n<AUTHOR>a.b.</AUTHOR>\n"
    "<TEXT>\nan experimental\nstudy .</TEXT>\n</DOC>\n"
    "<DOC><DOCNO>2</DOCNO><TITLE></TITLE><TEXT></TEXT></DOC>\n<DOC><DOCNO>3</DOCNO>plain words</DOC>\n"
)
TOPICS = (
    "<top>\n<num> Number: 1\n<title> Topic: aeroelastic models\n<desc> Description:\nwhat laws ?\n</top>\n"
    "<top><num>4</num><title>HEAT CONDUCTION</title></top>\n"
)
QRELS = "1 0 1 1\n4 0 3 1\n"
CRANFIELD = {"1": 4, "2": 3, "3": 2, "4": 1, "-1": 0}


@pytest.fixture
def collection(tmp_path: Path) -> Callable[..., str]:
    """Write a collection and return its folder."""

    def write(documents: str = SGML, topics: str = TOPICS, qrels: str = QRELS, name: str = "docs.trec") -> str:
        folder = tmp_path / "cranfield"
        folder.mkdir(exist_ok=True)
        for file, text in ((name, documents), ("topics.txt", topics), ("qrels.txt", qrels)):
            (folder / file).write_text(text)
        return str(folder)

    return write


def grades(outcome: Outcome) -> dict[str, dict[str, int]]:
    return {
        case.case_id: {piece.reference_id: piece.relevance for piece in case.expected.evidence}
        for case in outcome.cases
    }


def test_documents_in_sgml_have_title_and_text(prepare_as: Prepare, collection: Callable[..., str]) -> None:
    outcome = prepare_as("trec", path=collection())
    assert [document.document_id for document in outcome.documents] == ["1", "2", "3"]
    assert outcome.bytes_of(outcome.documents[0]) == (
        b'{"_id":"1","title":"Wings & slipstreams","text":"an experimental study ."}'
    )
    assert outcome.manifest.benchmark.name == "cranfield"


def test_empty_documents_are_kept_and_told(prepare_as: Prepare, collection: Callable[..., str]) -> None:
    assert prepare_as("trec", path=collection()).findings == {"empty_document": 1}


def test_topics_keep_their_case_and_fields_can_be_chosen(prepare_as: Prepare, collection: Callable[..., str]) -> None:
    assert [case.query for case in prepare_as("trec", path=collection()).cases] == [
        "aeroelastic models",
        "HEAT CONDUCTION",
    ]
    both = prepare_as("trec", path=collection(), topic_fields=["title", "desc"]).cases
    assert both[0].query == "aeroelastic models what laws ?"


def test_judgements_by_number_are_taken_by_number(prepare_as: Prepare, collection: Callable[..., str]) -> None:
    assert grades(prepare_as("trec", path=collection())) == {"1": {"1": 1}, "4": {"3": 1}}


def test_judgements_that_count_topics_by_place_are_taken_so_and_told(
    prepare_as: Prepare, collection: Callable[..., str]
) -> None:
    outcome = prepare_as("trec", path=collection(qrels="1 0 1 1\n2 0 3 1\n"))
    assert grades(outcome) == {"1": {"1": 1}, "2": {"3": 1}}
    assert outcome.cases[1].query == "HEAT CONDUCTION"
    assert outcome.findings == {"empty_document": 1, "topic_by_position": 1}


def test_by_number_a_judgement_by_place_is_of_no_topic(prepare_as: Prepare, collection: Callable[..., str]) -> None:
    outcome = prepare_as("trec", path=collection(qrels="1 0 1 1\n2 0 3 1\n"), topic_ids="number")
    assert grades(outcome) == {"1": {"1": 1}}
    assert outcome.findings["judgement_for_unknown_query"] == 1
    assert outcome.findings["query_without_judgement"] == 1


def test_codes_of_which_1_is_the_best_are_turned_round(prepare_as: Prepare, collection: Callable[..., str]) -> None:
    path = collection(qrels="1 1 1\n1 2 4\n4 3 -1\n")
    assert grades(prepare_as("trec", path=path, gains=CRANFIELD)) == {"1": {"1": 4, "2": 1}, "4": {"3": 0}}
    assert grades(prepare_as("trec", path=path)) == {"1": {"1": 1, "2": 4}, "4": {"3": -1}}


def test_a_code_without_a_grade_is_refused_with_its_line(prepare_as: Prepare, collection: Callable[..., str]) -> None:
    with pytest.raises(InvalidInputError, match=r"qrels\.txt:2: grade: '5' is no known code; gains has 1, 2, 3, 4, -1"):
        prepare_as("trec", path=collection(qrels="1 1 1\n4 3 5\n"), gains=CRANFIELD)


def test_ids_that_lack_zeros_dangle_as_published_and_are_put_right_when_asked(
    prepare_as: Prepare, collection: Callable[..., str]
) -> None:
    documents = "".join(f"<DOC><DOCNO>CACM-{n:04d}</DOCNO>words {n}</DOC>\n" for n in (115, 1410))
    path = collection(documents, qrels="1 0 CACM-115 1\n1 0 CACM-1410 1\n4 0 CACM-1410 1\n")
    assert prepare_as("trec", path=path).findings == {"dangling_judgement": 1}
    outcome = prepare_as("trec", path=path, pad_ids=True)
    assert outcome.findings == {"padded_id": 1}
    assert grades(outcome)["1"] == {"CACM-0115": 1, "CACM-1410": 1}


def test_dotted_documents_topics_and_judgements_are_read(prepare_as: Prepare, collection: Callable[..., str]) -> None:
    documents = ".I 1\n.T\nPreliminary report\n.B\nCACM December, 1958\n.W\nwords here\n.X\n1\t5\t1\n.I 2\n.T\nRoots\n"
    path = collection(
        documents, ".I 1\n.W\n What articles exist ?\n.N\n 1. Richard\n", "01 0002  0 0\n01 1 0 0\n", "cacm.all"
    )
    outcome = prepare_as("trec", path=path)
    assert [document.document_id for document in outcome.documents] == ["1", "2"]
    assert outcome.bytes_of(outcome.documents[0]) == b'{"_id":"1","title":"Preliminary report","text":"words here"}'
    assert outcome.cases[0].query == "What articles exist ?"
    assert grades(outcome) == {"1": {"2": 1, "1": 1}}


def test_a_file_each_is_a_document_each(prepare_as: Prepare, collection: Callable[..., str], tmp_path: Path) -> None:
    path = collection("<html>\n<pre>\nLanguage\n</pre>\n</html>\n", qrels="1 0 CACM-0001 1\n", name="CACM-0001.html")
    outcome = prepare_as("trec", path=path)
    assert outcome.bytes_of(outcome.documents[0]) == b'{"_id":"CACM-0001","text":"Language"}'


def test_latin_1_is_read(prepare_as: Prepare, collection: Callable[..., str]) -> None:
    path = collection()
    (Path(path) / "docs.trec").write_bytes(
        "<DOC><DOCNO>1</DOCNO>Kármán</DOC><DOC><DOCNO>3</DOCNO>x</DOC>".encode("latin-1")
    )
    outcome = prepare_as("trec", path=path)
    assert "Kármán".encode() in outcome.bytes_of(outcome.documents[0])


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"qrels": "1 1 1\n1 2\n"}, r"qrels\.txt:2: must have three or four columns"),
        ({"documents": "<DOC>\n<TEXT>x</TEXT></DOC>"}, r"docs\.trec:1: docno: a document has no DOCNO"),
        ({"topics": "<top><num>1</num><title></title></top>"}, "topic 1 has no text"),
        ({"topics": TOPICS.replace("4", "1")}, "several topics have the number 1"),
        ({"qrels": "8 0 1 1\n9 0 1 1\n"}, "0 of 2 topics have a judgement"),
    ],
)
def test_what_is_wrong_is_told(
    prepare_as: Prepare, collection: Callable[..., str], change: dict[str, str], problem: str
) -> None:
    with pytest.raises(InvalidInputError, match=problem):
        prepare_as("trec", path=collection(**change))
