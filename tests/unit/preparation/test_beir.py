"""The adapter for BEIR's layout, trap by trap."""

from __future__ import annotations

import json
import shutil
import tarfile
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from bakeoff.domain.component import ComponentSpec
from bakeoff.domain.errors import InvalidInputError
from bakeoff.domain.media_types import RECORD
from bakeoff.preparation.download import Downloads
from bakeoff.preparation.registries import adapters
from bakeoff.preparation.workspace import LocalWorkspace
from tests.unit.preparation.conftest import Outcome

Prepare = Callable[..., Outcome]
Write = Callable[..., Path]


def lines(*records: Mapping[str, object]) -> bytes:
    return b"".join(json.dumps(record, ensure_ascii=False).encode() + b"\n" for record in records)


def test_a_document_is_a_span_of_the_corpus_which_is_stored_once(prepare_as: Prepare, beir_folder: Write) -> None:
    folder = beir_folder()
    outcome = prepare_as("beir", path=str(folder))
    corpus = (folder / "corpus.jsonl").read_bytes()

    (original,) = outcome.reader.originals(0)
    assert (original.original_id, original.name, original.size_bytes) == ("corpus", "corpus.jsonl", len(corpus))
    assert outcome.objects.read_key(original.blob_key) == corpus
    assert [outcome.bytes_of(document) for document in outcome.documents] == corpus.splitlines()
    assert {document.media_type for document in outcome.documents} == {RECORD}


def test_a_judgement_becomes_evidence_that_names_its_document(prepare_as: Prepare, beir_folder: Write) -> None:
    (case,) = prepare_as("beir", path=str(beir_folder())).cases
    (evidence,) = case.expected.evidence
    assert (case.case_id, case.query) == ("q1", "When is high water?")
    assert (evidence.reference_id, evidence.locator, evidence.relevance) == ("d1", {"document_id": "d1"}, 1)


def test_a_line_separator_inside_a_string_ends_no_record(prepare_as: Prepare, beir_folder: Write) -> None:
    text = "one\u2028two\u0085three\x0cfour"
    corpus = lines({"_id": "d1", "text": text}, {"_id": "d2", "text": "last"})
    outcome = prepare_as("beir", path=str(beir_folder(corpus)))
    assert len(outcome.documents) == 2
    assert json.loads(outcome.bytes_of(outcome.documents[0]))["text"] == text


def test_byte_order_marks_and_crlf_belong_to_no_record(prepare_as: Prepare, beir_folder: Write) -> None:
    bom = b"\xef\xbb\xbf"
    folder = beir_folder(
        bom + b'{"_id":"d1","text":"a"}\r\n\r\n{"_id":"d2","text":"b"}\r\n',
        bom + b'{"_id":"q1","text":"q"}\r\n',
        bom + b"query-id\tcorpus-id\tscore\r\nq1\td1\t1\r\n",
    )
    outcome = prepare_as("beir", path=str(folder))
    assert [outcome.bytes_of(each) for each in outcome.documents] == [
        b'{"_id":"d1","text":"a"}',
        b'{"_id":"d2","text":"b"}',
    ]
    assert outcome.cases[0].expected.evidence[0].reference_id == "d1"


def test_a_last_record_without_a_line_end_is_read(prepare_as: Prepare, beir_folder: Write) -> None:
    corpus = b'{"_id":"d1","text":"a"}\n{"_id":"d2","text":"b"}'
    outcome = prepare_as("beir", path=str(beir_folder(corpus)))
    assert outcome.bytes_of(outcome.documents[1]) == b'{"_id":"d2","text":"b"}'


@pytest.mark.parametrize("title", [{}, {"title": None}, {"title": ""}])
def test_a_title_may_be_missing_null_or_empty(
    prepare_as: Prepare, beir_folder: Write, title: dict[str, object]
) -> None:
    corpus = lines({"_id": "d1", **title, "text": "a"})
    assert prepare_as("beir", path=str(beir_folder(corpus))).findings == {}


def test_empty_documents_are_kept_and_counted(prepare_as: Prepare, beir_folder: Write) -> None:
    corpus = lines({"_id": "d1", "text": "a"}, {"_id": "d2", "title": " ", "text": ""}, {"_id": "d3", "text": None})
    outcome = prepare_as("beir", path=str(beir_folder(corpus)))
    assert outcome.manifest.documents == 3
    assert outcome.findings == {"empty_document": 2}
    assert outcome.quality.findings[0].examples == ("d2", "d3")


def test_ids_keep_their_spaces_signs_and_slashes(prepare_as: Prepare, beir_folder: Write) -> None:
    ids = ["Geneva Durben", "msmarco_doc#1", "a/b\\c", "ü"]
    corpus = lines(*({"_id": each, "text": "t"} for each in ids))
    qrels = "".join(f"q1\t{each}\t1\n" for each in ids).encode()
    outcome = prepare_as("beir", path=str(beir_folder(corpus, qrels=qrels)))
    assert [document.document_id for document in outcome.documents] == ids
    assert [evidence.reference_id for evidence in outcome.cases[0].expected.evidence] == ids
    assert outcome.findings == {}


def test_two_documents_with_one_id_are_refused_with_both_lines(prepare_as: Prepare, beir_folder: Write) -> None:
    corpus = lines({"_id": "d1", "text": "a"}, {"_id": "d2", "text": "b"}) + b"\n" + lines({"_id": "d1", "text": "c"})
    with pytest.raises(InvalidInputError, match=r"'d1' on lines 1 and 4 of .*corpus\.jsonl"):
        prepare_as("beir", path=str(beir_folder(corpus)))


def test_two_queries_with_one_id_are_refused_with_both_lines(prepare_as: Prepare, beir_folder: Write) -> None:
    queries = lines({"_id": "q1", "text": "a"}, {"_id": "q2", "text": "b"}, {"_id": "q1", "text": "c"})
    with pytest.raises(InvalidInputError, match=r"queries\.jsonl:3: _id: 'q1' is already on line 1"):
        prepare_as("beir", path=str(beir_folder(queries=queries)))


def test_a_line_that_is_no_record_is_named(prepare_as: Prepare, beir_folder: Write) -> None:
    with pytest.raises(InvalidInputError, match=r"corpus\.jsonl:2: .*_id"):
        prepare_as("beir", path=str(beir_folder(b'{"_id":"d1","text":"a"}\n{"id":"d2","text":"b"}\n')))


def test_bytes_that_are_no_utf8_are_refused_with_their_line(prepare_as: Prepare, beir_folder: Write) -> None:
    with pytest.raises(InvalidInputError, match=r"corpus\.jsonl:1"):
        prepare_as("beir", path=str(beir_folder(b'{"_id":"d1","text":"caf\xe9"}\n')))


def test_queries_without_a_judgement_are_not_asked_but_counted(prepare_as: Prepare, beir_folder: Write) -> None:
    queries = lines({"_id": "q0", "text": "a"}, {"_id": "q1", "text": "b"}, {"_id": "q2", "text": "c"})
    outcome = prepare_as("beir", path=str(beir_folder(queries=queries)))
    assert [case.case_id for case in outcome.cases] == ["q1"]
    assert outcome.findings == {"query_without_judgement": 2}


def test_judged_queries_that_are_not_in_the_file_are_counted(prepare_as: Prepare, beir_folder: Write) -> None:
    outcome = prepare_as("beir", path=str(beir_folder(qrels=b"q1\td1\t1\nq7\td1\t1\n")))
    assert outcome.findings == {"judgement_for_unknown_query": 1}


def test_a24_judgements_of_absent_documents_are_counted_and_lower_the_ceilings(
    prepare_as: Prepare, beir_folder: Write
) -> None:
    outcome = prepare_as("beir", path=str(beir_folder(qrels=b"q1\td1\t1\nq1\tgone\t1\n")))
    assert outcome.findings == {"dangling_judgement": 1}
    assert outcome.quality.findings[0].examples == ("q1 gone",)
    # One of two relevant documents is there; found first, it gains 1/log2(2) of 1/log2(2) + 1/log2(3) = 1.6309.
    assert outcome.quality.ceiling == {"recall": 0.5, "ndcg@10": pytest.approx(0.6131, abs=1e-4)}


def test_nothing_is_prepared_when_no_judged_document_is_there(prepare_as: Prepare, beir_folder: Write) -> None:
    with pytest.raises(InvalidInputError, match="0 of 1 judged cases"):
        prepare_as("beir", path=str(beir_folder(qrels=b"q1\tx1\t1\nq1\tx2\t1\n")))


def test_nothing_is_prepared_when_no_query_is_judged(prepare_as: Prepare, beir_folder: Write) -> None:
    with pytest.raises(
        InvalidInputError, match=r"0 of 1 queries of queries\.jsonl have a judgement in qrels/test\.tsv"
    ):
        prepare_as("beir", path=str(beir_folder(qrels=b"other\td1\t1\n")))


def test_another_split_and_another_file_of_judgements_can_be_chosen(prepare_as: Prepare, beir_folder: Write) -> None:
    folder = beir_folder()
    beir_folder(qrels=b"q1\td2\t2\n", split="dev")
    dev = prepare_as("beir", path=str(folder), split="dev")
    assert dev.manifest.benchmark.split == "dev"
    assert dev.cases[0].expected.evidence[0].reference_id == "d2"
    other = prepare_as("beir", path=str(folder), qrels="dev.tsv")
    assert other.manifest.benchmark.split == "test"
    assert other.cases[0].expected.evidence[0].relevance == 2


def test_a_split_that_is_not_there_is_refused_with_those_that_are(prepare_as: Prepare, beir_folder: Write) -> None:
    with pytest.raises(InvalidInputError, match=r"has no qrels/train\.tsv; there are: test"):
        prepare_as("beir", path=str(beir_folder()), split="train")


@pytest.mark.parametrize("ending", ["zip", "gztar"])
def test_an_archive_gives_the_same_benchmark_as_its_folder(
    prepare_as: Prepare, beir_folder: Write, tmp_path: Path, ending: str
) -> None:
    folder = beir_folder()
    archive = shutil.make_archive(str(tmp_path / "packed" / "harbour"), ending, folder.parent, folder.name)
    assert prepare_as("beir", path=archive).ref == prepare_as("beir", path=str(folder)).ref


def test_an_archive_of_several_benchmarks_is_refused_with_their_names(
    prepare_as: Prepare, beir_folder: Write, tmp_path: Path
) -> None:
    archive = tmp_path / "both.tar"
    with tarfile.open(archive, "w") as packed:
        for name in ("one", "two"):
            packed.add(beir_folder(name=name), arcname=f"set/{name}")
    with pytest.raises(InvalidInputError, match=r"several benchmarks.*set/one, set/two"):
        prepare_as("beir", path=str(archive))


def test_what_an_archive_lacks_is_told_of_the_archive(prepare_as: Prepare, beir_folder: Write, tmp_path: Path) -> None:
    folder = beir_folder()
    (folder / "queries.jsonl").unlink()
    archive = shutil.make_archive(str(tmp_path / "harbour"), "zip", folder.parent, folder.name)
    with pytest.raises(InvalidInputError) as caught:
        prepare_as("beir", path=archive)
    assert f"{archive!r} has no queries.jsonl" in str(caught.value)


@pytest.mark.parametrize(
    ("path", "exclude_self", "expected"),
    [("arguana", None, True), ("/data/quora.zip", None, True), ("scifact", None, False), ("arguana", False, False)],
)
def test_a3_a_querys_own_document_is_left_out_as_the_set_demands(
    path: str, exclude_self: bool | None, expected: bool
) -> None:
    adapter = adapters.load().make(ComponentSpec("beir", {"path": path, "exclude_self": exclude_self}))
    assert adapter.manifest.metadata == {"exclude_self": expected}


def test_the_name_of_a_public_set_means_its_public_address() -> None:
    (resource,) = adapters.load().make(ComponentSpec("beir", {"path": "scifact"})).resources()
    assert resource.uri == "https://public.ukp.informatik.tu-darmstadt.de/thakur/BEIR/datasets/scifact.zip"


def test_a_forum_of_cqadupstack_is_taken_out_of_the_archive_of_all(
    prepare_as: Prepare, beir_folder: Write, tmp_path: Path
) -> None:
    place = tmp_path / "mirror/public.ukp.informatik.tu-darmstadt.de/thakur/BEIR/datasets/cqadupstack.zip"
    place.parent.mkdir(parents=True)
    for forum in ("android", "gis"):
        beir_folder(corpus=f'{{"_id":"d1","text":"{forum}"}}\n'.encode(), name=f"cqadupstack/{forum}")
    shutil.make_archive(str(place.with_suffix("")), "zip", tmp_path, "cqadupstack")
    adapter = adapters.load().make(ComponentSpec("beir", {"path": "cqadupstack/gis"}))
    workspace = LocalWorkspace(tmp_path / "scratch", Downloads(tmp_path / "cache", mirror=tmp_path / "mirror"))
    (document,) = adapter.documents(adapter.prepare(workspace))
    assert document.path is not None
    assert b'"gis"' in document.path.read_bytes()
    assert adapter.manifest.name == "cqadupstack-gis"


def test_cqadupstack_alone_is_refused_with_its_forums() -> None:
    (fault,) = adapters.load().make(ComponentSpec("beir", {"path": "cqadupstack"})).check()
    assert "CQADupStack is twelve sets: cqadupstack/android, cqadupstack/english" in fault.problem


def test_beirs_headline_is_the_first_of_the_methods() -> None:
    methods = adapters.load().make(ComponentSpec("beir", {"path": "scifact"})).evaluators()
    assert [str(method) for method in methods] == [
        "ndcg(k=10)",
        "average_precision(k=null)",
        "recall(k=100)",
        "precision(k=10)",
        "reciprocal_rank(k=null)",
        "hit(k=10)",
    ]
