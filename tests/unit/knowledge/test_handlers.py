"""Building a knowledge base from a task."""

from __future__ import annotations

from pathlib import Path

import pytest

from bakeoff.contract import object_keys, stored
from bakeoff.domain.answer import Failure, FailureKind
from bakeoff.domain.component import ComponentSpec
from bakeoff.domain.errors import DigestMismatchError, InvalidInputError, NotFoundError
from bakeoff.domain.knowledge import KnowledgeBaseManifest
from bakeoff.domain.recipe import BuildPart
from bakeoff.knowledge.handlers import build_handler
from tests.unit.knowledge.stored_benchmark import Doc, a_stored_benchmark

HYBRID = BuildPart(embedder=ComponentSpec("hashing"), indexes=(ComponentSpec("bm25"), ComponentSpec("dense")))
MOLE = Doc("mole", b"The harbour is closed by a mole of granite.")
LIGHT = Doc("light", b"The light on the pier is green.")


def test_the_result_is_the_manifest_and_names_files_that_are_stored(tmp_path: Path) -> None:
    benchmark = a_stored_benchmark(MOLE, LIGHT)
    handler = build_handler()
    task = benchmark.task(HYBRID)

    result = handler.handle(task, benchmark.context(tmp_path))

    manifest = stored.decode(result.data, KnowledgeBaseManifest)
    assert handler.result_key(task) == object_keys.kb_manifest(manifest.kb_id)
    assert sorted(manifest.files) == [
        "chunks.safetensors",
        "index-bm25.safetensors",
        "index-dense.safetensors",
    ]
    assert all(len(benchmark.objects.read(ref)) == ref.size_bytes for ref in manifest.files.values())
    assert (manifest.documents, manifest.chunks) == (2, 2)
    assert manifest.characters == len(MOLE.data) + len(LIGHT.data)
    assert result.counts == {
        "documents": 2,
        "chunks": 2,
        "characters": manifest.characters,
        "skipped": 0,
        "bytes": manifest.size_bytes,
        "parse_computed": 2,
        "chunk_computed": 2,
        "embed_computed": 2,
        "texts_embedded": 2,
    }


def test_the_manifest_states_the_versions_of_components_and_libraries(tmp_path: Path) -> None:
    benchmark = a_stored_benchmark(MOLE)

    result = build_handler().handle(benchmark.task(HYBRID), benchmark.context(tmp_path))

    versions = stored.decode(result.data, KnowledgeBaseManifest).versions
    assert {"parser:auto", "chunker:none", "embedder:hashing", "index:bm25", "index:dense"} <= versions.keys()
    assert {"bm25s", "PyStemmer", "numpy"} <= versions.keys()


def test_the_same_documents_give_the_same_bytes_in_another_store(tmp_path: Path) -> None:
    one, other = a_stored_benchmark(MOLE, LIGHT), a_stored_benchmark(MOLE, LIGHT)

    first = build_handler().handle(one.task(HYBRID), one.context(tmp_path / "1"))
    second = build_handler().handle(other.task(HYBRID), other.context(tmp_path / "2"))

    assert first.data == second.data


def test_building_again_over_stored_files_gives_the_same_manifest(tmp_path: Path) -> None:
    benchmark = a_stored_benchmark(MOLE, LIGHT)

    first = build_handler().handle(benchmark.task(), benchmark.context(tmp_path / "1"))
    second = build_handler().handle(benchmark.task(), benchmark.context(tmp_path / "2"))

    assert first.data == second.data


def test_files_of_another_builder_are_left_alone_and_not_named(tmp_path: Path) -> None:
    benchmark = a_stored_benchmark(MOLE)
    task = benchmark.task()
    kb_id = task.body.kb_id
    theirs = object_keys.kb_file(kb_id, "index-bm25.safetensors")
    benchmark.objects.create(theirs, b"made elsewhere")

    result = build_handler().handle(task, benchmark.context(tmp_path))

    ours = stored.decode(result.data, KnowledgeBaseManifest).files["index-bm25.safetensors"]
    assert benchmark.objects.read_key(theirs) == b"made elsewhere"
    assert ours.key != theirs
    assert len(benchmark.objects.read(ours)) == ours.size_bytes


def test_a_document_that_cannot_be_read_is_skipped_and_listed(tmp_path: Path) -> None:
    benchmark = a_stored_benchmark(MOLE, Doc("broken", b"\xff\xfe\xff"), Doc("empty", b" \n "))

    result = build_handler().handle(benchmark.task(), benchmark.context(tmp_path))

    skipped = stored.decode(result.data, KnowledgeBaseManifest).skipped
    assert [document.document_id for document in skipped] == ["broken", "empty"]
    assert skipped[0].failure is not None
    assert skipped[0].failure.kind is FailureKind.PARSE
    assert "'broken'" in skipped[0].failure.reason
    assert skipped[1].failure is None


def test_no_chunk_at_all_is_an_input_error_that_says_why(tmp_path: Path) -> None:
    benchmark = a_stored_benchmark(Doc("broken", b"\x80\0"), Doc("empty", b""))

    with pytest.raises(InvalidInputError, match=r"none of 2 documents gave a chunk.*'broken'.*0x80"):
        build_handler().handle(benchmark.task(), benchmark.context(tmp_path))


def test_other_component_versions_are_refused(tmp_path: Path) -> None:
    benchmark = a_stored_benchmark(MOLE)
    task = benchmark.task()
    older = benchmark.task(versions={**task.body.versions, "index:bm25": "0"})

    with pytest.raises(InvalidInputError, match="index:bm25: 1 here, 0 asked"):
        build_handler().handle(older, benchmark.context(tmp_path))


def test_an_id_that_is_not_the_hash_of_its_parts_is_refused(tmp_path: Path) -> None:
    benchmark = a_stored_benchmark(MOLE)
    wrong = benchmark.task(kb_id="kb-" + "0" * 32)

    with pytest.raises(InvalidInputError, match="not kb-00000000"):
        build_handler().handle(wrong, benchmark.context(tmp_path))


def test_a_failed_ingest_item_is_named(tmp_path: Path) -> None:
    benchmark = a_stored_benchmark(MOLE)
    context = benchmark.context(tmp_path, Failure(FailureKind.INPUT, "the disk was on fire"))

    with pytest.raises(InvalidInputError, match=r"ingest/ingest-0.*the disk was on fire"):
        build_handler().handle(benchmark.task(), context)


def test_a_document_whose_original_was_not_ingested_is_named(tmp_path: Path) -> None:
    benchmark = a_stored_benchmark(MOLE, LIGHT)
    benchmark.ingested = benchmark.ingested[:1]

    with pytest.raises(InvalidInputError, match=r"'light'.*not ingested"):
        build_handler().handle(benchmark.task(), benchmark.context(tmp_path))


def test_a_raw_original_that_is_gone_gives_up(tmp_path: Path) -> None:
    benchmark = a_stored_benchmark(MOLE, LIGHT)
    benchmark.objects.delete(benchmark.ingested[1].raw_key)

    with pytest.raises(NotFoundError):
        build_handler().handle(benchmark.task(), benchmark.context(tmp_path))


def test_a_raw_original_with_other_bytes_is_refused(tmp_path: Path) -> None:
    benchmark = a_stored_benchmark(MOLE)
    benchmark.objects.delete(benchmark.ingested[0].raw_key)
    benchmark.objects.create(benchmark.ingested[0].raw_key, b"The harbour is open.")

    with pytest.raises(DigestMismatchError):
        build_handler().handle(benchmark.task(), benchmark.context(tmp_path))


def test_a_cancelled_evaluation_can_stop_a_build(tmp_path: Path) -> None:
    benchmark = a_stored_benchmark(MOLE)
    context = benchmark.context(tmp_path)

    build_handler().handle(benchmark.task(HYBRID), context)

    assert context.begun >= 3  # parsing, embedding, indexing
