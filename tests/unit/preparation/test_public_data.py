"""Public sets: as many documents, cases and judgements as their publishers say."""

from __future__ import annotations

import json
import shutil
import threading
from collections.abc import Callable, Iterator
from functools import partial
from html import escape
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from bakeoff.preparation.findings import Findings
from bakeoff.preparation.source_files import SourceFile
from bakeoff.preparation.uda_questions import Subset, read_uda
from tests.unit.preparation.conftest import Outcome

pytestmark = pytest.mark.data
Prepare = Callable[..., Outcome]


@pytest.mark.parametrize(
    ("name", "documents", "cases", "judgements", "findings"),
    [
        ("scifact", 5183, 300, 339, {}),
        ("cranfield", 1400, 225, 1837, {"empty_document": 2}),
        ("vaswani", 11429, 93, 2083, {}),
        # 55 judgements name 46 documents that are not there, for want of zeros: CACM-115 for CACM-0115.
        ("cacm", 3204, 52, 796, {"dangling_judgement": 55, "query_without_judgement": 12}),
        ("2wiki-101", 6119, 101, 248, {}),
        ("limit-small", 46, 1000, 2000, {}),
    ],
)
def test_counts_are_those_published(
    prepare_as: Prepare,
    data_dir: Path,
    name: str,
    documents: int,
    cases: int,
    judgements: int,
    findings: dict[str, int],
) -> None:
    outcome = prepare_as("beir", path=str(data_dir / name))
    quality = outcome.quality
    assert outcome.manifest.benchmark.name == name
    assert (quality.documents, quality.cases, quality.judgements) == (documents, cases, judgements)
    assert outcome.findings == findings


@pytest.fixture
def served(tmp_path: Path) -> Iterator[tuple[Path, str]]:
    """A folder that a web server on this machine serves, and its address."""
    folder = tmp_path / "served"
    folder.mkdir()
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(QuietHandler, directory=str(folder)))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield folder, f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()
    thread.join()


class QuietHandler(SimpleHTTPRequestHandler):
    """Serves files without a word."""

    def log_message(self, *args: object) -> None:
        pass


def test_a_set_by_its_address_is_the_same_as_its_folder(
    prepare_as: Prepare, data_dir: Path, served: tuple[Path, str]
) -> None:
    folder, address = served
    shutil.make_archive(str(folder / "scifact"), "zip", data_dir, "scifact")
    outcome = prepare_as("beir", path=f"{address}/scifact.zip")
    assert outcome.manifest.documents == 5183
    assert outcome.ref == prepare_as("beir", path=str(data_dir / "scifact")).ref


def test_padded_judgements_of_cacm_name_nothing_that_is_absent(prepare_as: Prepare, data_dir: Path) -> None:
    outcome = prepare_as("beir", path=str(data_dir / "cacm"), qrels="test_padded")
    assert outcome.findings == {"query_without_judgement": 12}
    assert outcome.quality.ceiling == {}


def test_graded_judgements_of_cranfield_keep_their_grades(prepare_as: Prepare, data_dir: Path) -> None:
    outcome = prepare_as("beir", path=str(data_dir / "cranfield"), qrels="graded_gain")
    grades = [evidence.relevance for case in outcome.cases for evidence in case.expected.evidence]
    # The codes 1 (best) to 4 and -1 of the publisher, turned round: 128 × 4, 387 × 3, 734 × 2, 363 × 1, 225 × 0.
    assert [grades.count(grade) for grade in (4, 3, 2, 1, 0)] == [128, 387, 734, 363, 225]


def test_document_ids_with_spaces_survive(prepare_as: Prepare, data_dir: Path) -> None:
    outcome = prepare_as("beir", path=str(data_dir / "limit-small"))
    assert "Geneva Durben" in {document.document_id for document in outcome.documents}
    assert outcome.cases[0].expected.evidence[0].locator == {"document_id": "Geneva Durben"}


@pytest.mark.parametrize(
    ("subset", "questions", "by_document"),
    [
        ("fin", 8190, {"ADI_2009": 9, "ABMD_2012": 12, "GS_2016": 23}),
        ("tat", 14703, {"inpixon_2019": 18, "lifeway-foods-inc_2019": 60, "viavi-solutions-inc_2019": 24}),
        ("paper_text", 2804, {"1810.08699": 3, "1801.05147": 1, "1705.07830": 1, "2001.03131": 2, "1809.01202": 1}),
        ("paper_tab", 393, {"1801.05147": 1, "1809.01202": 1}),
    ],
)
def test_questions_of_uda_about_the_documents_that_are_there(
    prepare_as: Prepare, data_dir: Path, subset: str, questions: int, by_document: dict[str, int]
) -> None:
    outcome = prepare_as("uda", path=str(data_dir / "uda-benchmark"), subset=subset)
    units = {unit.unit_id: unit.cases_stop - unit.cases_start for unit in outcome.reader.units()}
    assert units == by_document
    assert outcome.findings["document_absent"] == questions - sum(by_document.values())
    assert outcome.findings.keys() <= {"document_absent", "case_without_evidence"}


def test_pages_of_uda_are_those_in_the_questions_ids(prepare_as: Prepare, data_dir: Path) -> None:
    outcome = prepare_as("uda", path=str(data_dir / "uda-benchmark"))
    pages = {case.case_id: case.expected.evidence[0].locator["page_index"] for case in outcome.cases}
    assert pages["ADI/2009/page_49.pdf-1"] == 48
    assert len(pages) == 44


def test_words_of_evidence_come_with_the_questions_that_have_them(prepare_as: Prepare, data_dir: Path) -> None:
    outcome = prepare_as("uda", path=str(data_dir / "uda-benchmark"), subset="tat")
    assert sum(bool(case.expected.evidence) for case in outcome.cases) == 8
    assert outcome.findings["case_without_evidence"] == 94


@pytest.mark.parametrize(("subset", "questions", "documents"), [("feta", 1023, 878), ("nq", 2477, 645)])
def test_all_questions_of_uda_are_read_and_the_torn_row_is_mended(
    data_dir: Path, subset: Subset, questions: int, documents: int
) -> None:
    path = data_dir / "uda-benchmark" / "dataset" / "qa" / f"{subset}_qa.csv"
    findings = Findings()
    found = list(read_uda(SourceFile(path.name, path), subset, findings))
    assert (len(found), len({each.document for each in found})) == (questions, documents)
    assert len({each.case().case_id for each in found}) == questions
    assert sum(finding.count for finding in findings.all()) == (1 if subset == "feta" else 0)


def test_the_sample_of_hotpotqa_has_its_paragraphs_and_marks(prepare_as: Prepare, data_dir: Path) -> None:
    outcome = prepare_as("hotpotqa", path=str(data_dir / "hotpotqa-ircot" / "processed_data"))
    assert (outcome.manifest.cases, outcome.quality.judgements, outcome.findings) == (500, 1000, {})
    sizes = [unit.documents for unit in outcome.reader.units()]
    assert (len(sizes), sizes.count(10)) == (500, 489)


def test_the_sample_of_multihop_rag_has_its_types_and_evidence(prepare_as: Prepare, data_dir: Path) -> None:
    path = str(data_dir / "search-datasets" / "multihop_rag")
    outcome = prepare_as("multihop_rag", path=path, articles="facts")
    types = [case.labels["question_type"] for case in outcome.cases]
    assert (len(types), types.count("null_query"), types.count("inference_query")) == (500, 71, 161)
    assert (outcome.manifest.documents, outcome.quality.judgements) == (326, 1153)
    assert outcome.findings == {"corpus_of_facts": 1, "case_without_evidence": 71}


def test_upper_case_queries_stay_as_they_are(prepare_as: Prepare, data_dir: Path) -> None:
    case = prepare_as("beir", path=str(data_dir / "vaswani")).cases[0]
    assert case.query == "MEASUREMENT OF DIELECTRIC CONSTANT OF LIQUIDS BY THE USE OF MICROWAVE TECHNIQUES"


def test_without_repair_what_cacm_can_reach_is_below_1(prepare_as: Prepare, data_dir: Path) -> None:
    assert prepare_as("beir", path=str(data_dir / "cacm")).quality.ceiling["recall"] < 1


def test_cranfield_in_its_classic_form_is_the_same_collection(
    prepare_as: Prepare, data_dir: Path, tmp_path: Path
) -> None:
    source = data_dir / "cranfield"
    documents = [json.loads(line) for line in (source / "corpus.jsonl").read_text().splitlines()]
    queries = [json.loads(line) for line in (source / "queries.jsonl").read_text().splitlines()]
    judged = [line.split("\t") for line in (source / "qrels" / "graded_raw.tsv").read_text().splitlines()[1:]]
    sgml = (
        f"<DOC>\n<DOCNO>{each['_id']}</DOCNO>\n<TITLE>{escape(each['title'])}</TITLE>\n"
        f"<TEXT>{escape(each['text'])}</TEXT>\n</DOC>\n"
        for each in documents
    )
    # The numbers of the topics have gaps and run to 365; judgements count 1 to 225.
    topics = (
        f"<top><num>{1 + number * 364 // 224}</num><title>{escape(each['text'])}</title></top>\n"
        for number, each in enumerate(queries)
    )
    (tmp_path / "cran.all.1400.xml").write_text("".join(sgml))
    (tmp_path / "cran.qry.xml").write_text("".join(topics))
    (tmp_path / "cranqrel").write_text("".join(" ".join(row) + "\n" for row in judged))

    classic = prepare_as("trec", path=str(tmp_path), gains={"1": 4, "2": 3, "3": 2, "4": 1, "-1": 0})
    beir = prepare_as("beir", path=str(source), qrels="graded_gain")

    assert classic.findings == {"topic_by_position": 223, "empty_document": 2}  # topics 1 and 2 are where they count
    assert [case.query for case in classic.cases] == [case.query for case in beir.cases]
    grades = [{e.reference_id: e.relevance for e in case.expected.evidence} for case in classic.cases]
    assert grades == [{e.reference_id: e.relevance for e in case.expected.evidence} for case in beir.cases]
