"""What preparing stores, whatever the adapter."""

from __future__ import annotations

import shutil
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pytest

from bakeoff.domain.errors import InvalidInputError, NotFoundError
from bakeoff.domain.evaluation import ObjectRef
from bakeoff.runtime.memory_objects import MemoryObjects
from bakeoff.runtime.object_integrity import digest_of_file
from bakeoff.runtime.objects import OCTETS, Created
from tests.unit.preparation.conftest import Outcome

Prepare = Callable[..., Outcome]
Write = Callable[..., Path]
CORPUS = b'{"_id":"d1","text":"a"}\n'
QUERIES = b"".join(b'{"_id":"q%d","text":"q"}\n' % number for number in range(1200))
QRELS = b"".join(b"q%d\td1\t1\n" % number for number in range(1200))


def test_the_same_content_elsewhere_is_the_same_benchmark(
    prepare_as: Prepare, beir_folder: Write, tmp_path: Path
) -> None:
    folder = beir_folder()
    copy = tmp_path / "elsewhere" / folder.name
    shutil.copytree(folder, copy)
    assert prepare_as("beir", path=str(copy)).ref == prepare_as("beir", path=str(folder)).ref


def everything(objects: MemoryObjects) -> dict[str, bytes]:
    return {info.key: objects.read_key(info.key) for info in objects.list("")}


def test_all_bytes_that_are_stored_are_the_same_every_time(prepare_as: Prepare, beir_folder: Write) -> None:
    folder = str(beir_folder(CORPUS, QUERIES, QRELS))
    first, second = prepare_as("beir", path=folder), prepare_as("beir", path=folder)
    assert everything(first.objects) == everything(second.objects)


@pytest.mark.parametrize("change", ["limit", "name", "split", "document", "query", "judgement"])
def test_whatever_changes_the_benchmark_changes_the_fingerprint(
    prepare_as: Prepare, beir_folder: Write, change: str
) -> None:
    folder = beir_folder()
    before = prepare_as("beir", path=str(folder)).manifest.fingerprint
    options: dict[str, object] = {}
    match change:
        case "limit":
            beir_folder(queries=QUERIES, qrels=QRELS)
            before = prepare_as("beir", path=str(folder)).manifest.fingerprint
            options = {"limit": 1}
        case "name":
            options = {"name": "other"}
        case "split":
            beir_folder(split="dev")
            options = {"split": "dev"}
        case "document":
            beir_folder(b'{"_id":"d1","text":"other"}\n')
        case "query":
            beir_folder(queries=b'{"_id":"q1","text":"other"}\n')
        case "judgement":
            beir_folder(qrels=b"q1\td1\t2\n")
    assert prepare_as("beir", path=str(folder), **options).manifest.fingerprint != before


def test_cases_come_in_parts_and_are_read_across_them(prepare_as: Prepare, beir_folder: Write) -> None:
    outcome = prepare_as("beir", path=str(beir_folder(CORPUS, QUERIES, QRELS)))
    assert len(outcome.manifest.case_parts) == 3
    assert [case.case_id for case in outcome.reader.cases(498, 502)] == ["q498", "q499", "q500", "q501"]
    (unit,) = outcome.reader.units()
    assert (unit.cases_start, unit.cases_stop, unit.documents) == (0, 1200, 1)


def test_a_limit_takes_the_first_cases_and_all_documents(prepare_as: Prepare, beir_folder: Write) -> None:
    outcome = prepare_as("beir", path=str(beir_folder(queries=QUERIES, qrels=QRELS)), limit=3)
    assert [case.case_id for case in outcome.cases] == ["q0", "q1", "q2"]
    assert outcome.manifest.documents == 2
    assert outcome.quality.cases == 3


def test_a_limit_below_one_is_refused(prepare_as: Prepare, beir_folder: Write) -> None:
    with pytest.raises(InvalidInputError, match="limit must be at least 1, not 0"):
        prepare_as("beir", path=str(beir_folder()), limit=0)


def test_the_manifest_says_which_files_were_read(prepare_as: Prepare, beir_folder: Write) -> None:
    resources = prepare_as("beir", path=str(beir_folder())).manifest.resources
    assert sorted(resources) == ["corpus.jsonl", "qrels/test.tsv", "queries.jsonl"]
    assert all(len(digest) == 64 for digest in resources.values())


def test_the_manifest_has_every_setting_but_the_path(prepare_as: Prepare, beir_folder: Write) -> None:
    adapter = prepare_as("beir", path=str(beir_folder())).manifest.adapter
    assert str(adapter) == 'beir(exclude_self=null, qrels=null, split="test")'


@pytest.mark.parametrize(
    "fault",
    [
        {"corpus": b'{"_id":"d1","text":"a"}\n{"_id":"d1","text":"b"}\n'},
        {"queries": b'{"_id":"q1","text":"a"}\nnonsense\n'},
        {"qrels": b"q1\td1\t0.5\n"},
        {"corpus": b""},
    ],
)
def test_nothing_is_stored_when_anything_is_wrong(
    prepare_as: Prepare, beir_folder: Write, fault: dict[str, bytes]
) -> None:
    objects = MemoryObjects()
    with pytest.raises(InvalidInputError):
        prepare_as("beir", path=str(beir_folder(**fault)), objects=objects)
    assert list(objects.list("")) == []


def test_a_document_over_the_limit_is_refused_with_its_file_and_size(prepare_as: Prepare, tmp_path: Path) -> None:
    (tmp_path / "documents").mkdir()
    (tmp_path / "documents" / "big.txt").write_bytes(b"x" * 1001)
    (tmp_path / "questions.yaml").write_text("cases: [{id: q, question: q}]")
    with pytest.raises(InvalidInputError, match=r"big\.txt.* has 1,001 bytes; at most 1,000 are taken"):
        prepare_as(
            "folder",
            path=str(tmp_path / "documents"),
            questions=str(tmp_path / "questions.yaml"),
            max_document_bytes=1000,
        )


def test_the_limit_is_for_documents_not_for_the_file_that_holds_them(prepare_as: Prepare, beir_folder: Write) -> None:
    corpus = b"".join(b'{"_id":"d%d","text":"a"}\n' % number for number in range(100))
    assert prepare_as("beir", path=str(beir_folder(corpus)), max_document_bytes=100).manifest.documents == 100


class Counting(MemoryObjects):
    """Counts what is written."""

    writes = 0

    def create(self, key: str, data: bytes, *, media_type: str = OCTETS) -> Created:
        self.writes += 1
        return super().create(key, data, media_type=media_type)


def test_preparing_again_writes_nothing(prepare_as: Prepare, beir_folder: Write) -> None:
    objects, folder = Counting(), str(beir_folder())
    prepare_as("beir", path=folder, objects=objects)
    before = objects.writes
    prepare_as("beir", path=folder, objects=objects)
    assert objects.writes == before > 0


def test_an_unknown_adapter_is_refused_with_the_nearest(prepare_as: Prepare) -> None:
    with pytest.raises(NotFoundError, match="no adapter is named 'bier'; did you mean 'beir'"):
        prepare_as("bier", path="x")


class Forgetful(MemoryObjects):
    """Keeps nothing of large files, so that only the preparation's own memory is measured."""

    def create_from_file(self, key: str, path: Path, *, media_type: str = OCTETS) -> Created:
        if path.stat().st_size < 10_000_000:
            return super().create_from_file(key, path, media_type=media_type)
        digest, size = digest_of_file(path)
        return Created(ObjectRef(key, digest, size), created=True)


def test_a_corpus_is_read_with_far_less_memory_than_its_size(prepare_as: Prepare, beir_folder: Write) -> None:
    filler = b"x" * 2000
    folder = beir_folder(b"".join(b'{"_id":"d%d","text":"%s"}\n' % (number, filler) for number in range(1, 20_001)))
    tracemalloc.start()
    prepare_as("beir", path=str(folder), objects=Forgetful())
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    # Of a corpus of 40 MB the ids and first bytes of all records are held, and one part of 10,000 documents.
    assert peak < 20_000_000
