"""Indexes whose data lie outside of a knowledge base's files, in a folder: as the others to whoever builds and asks."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from bakeoff.contract import object_keys, stored
from bakeoff.domain.component import ComponentKind, ComponentSpec
from bakeoff.domain.errors import InvalidInputError, NotFoundError
from bakeoff.domain.knowledge import KnowledgeBaseManifest
from bakeoff.domain.recipe import BuildPart, QueryMode
from bakeoff.knowledge import LanceStore, PostgresServer, Site, outside_settings, registries
from bakeoff.knowledge.build import build_knowledge_base
from bakeoff.knowledge.handlers import build_handler
from bakeoff.knowledge.library import Library
from bakeoff.knowledge.outside import Outside
from bakeoff.knowledge.parsing import SourceDocument
from bakeoff.knowledge.publishing import Resources
from bakeoff.knowledge.search import open_knowledge_base
from bakeoff.runtime.memory_objects import MemoryObjects
from bakeoff.runtime.settings import Settings
from tests.unit.knowledge.stored_benchmark import Doc, a_stored_benchmark

GUIDE = Path(__file__).resolve().parents[3] / "docs/guide/external-indexes.md"
TEXTS = {
    "mole": b"The harbour is closed by a mole of granite.",
    "light": b"The light on the pier is green.",
    "pilot": b"A pilot boards every ship before the pier.",
}
VECTORS = QueryMode("v", ComponentSpec("vector_search"), 3)
BOTH = QueryMode("b", ComponentSpec("hybrid_search"), 3)


def a_part(*names: str) -> BuildPart:
    return BuildPart(embedder=ComponentSpec("hashing"), indexes=tuple(ComponentSpec.parse(name) for name in names))


def documents() -> list[SourceDocument]:
    return [SourceDocument(name, text) for name, text in TEXTS.items()]


@pytest.mark.parametrize("site", [None, "elsewhere"])
def test_a_notebook_builds_and_asks_with_and_without_saying_where(site: str | None, tmp_path: Path) -> None:
    where = Site("harbour", LanceStore(str(tmp_path / site))) if site else None
    build_knowledge_base(documents(), a_part("bm25", "dense"), tmp_path / "dense")
    built = build_knowledge_base(documents(), a_part("bm25", "lance"), tmp_path / "lance", site=where)
    lies = tmp_path / (site or "lance")

    assert [path.name[:6] for path in lies.glob("*.lance")] == ["lance-"]
    assert built.versions["lancedb"]
    for mode in (VECTORS, BOTH):
        expected = open_knowledge_base(tmp_path / "dense").search(["the green light", "ships"], mode)
        assert (
            open_knowledge_base(tmp_path / "lance", site=where).search(["the green light", "ships"], mode) == expected
        )


def test_built_again_nothing_changes(tmp_path: Path) -> None:
    site = Site("harbour", LanceStore(str(tmp_path / "lance")))
    files = []
    for folder in ("one", "two"):
        build_knowledge_base(documents(), a_part("lance"), tmp_path / folder, site=site)
        files.append((tmp_path / folder / "index-lance.safetensors").read_bytes())

    assert files[0] == files[1]
    assert len(list((tmp_path / "lance").iterdir())) == 1


def test_of_indexes_that_are_asked_in_one_place_there_is_one(tmp_path: Path) -> None:
    with pytest.raises(InvalidInputError, match="'dense' and 'lance' are both asked as 'dense': keep one of them"):
        build_knowledge_base(documents(), a_part("dense", "lance"), tmp_path / "kb")


def test_without_a_server_there_is_no_index_on_one(tmp_path: Path) -> None:
    with pytest.raises(
        InvalidInputError, match=r"pgvector: no PostgreSQL server is configured; .* BAKEOFF_POSTGRES_URL .*, a script"
    ):
        build_knowledge_base(documents(), a_part("pgvector"), tmp_path / "kb")


def test_a_graph_needs_effort(tmp_path: Path) -> None:
    part = a_part("pgvector(approximate=hnsw, links=50, effort_building=60)")
    with pytest.raises(InvalidInputError, match=r"at least twice links \(50\), not 60"):
        build_knowledge_base(documents(), part, tmp_path / "kb")


def test_a_library_opens_and_deletes_what_lies_outside(tmp_path: Path) -> None:
    outside = Outside(LanceStore(str(tmp_path / "lake")))
    benchmark = a_stored_benchmark(*(Doc(name, text) for name, text in TEXTS.items()))
    task = benchmark.task(a_part("lance"))
    handler = build_handler(resources=Resources(benchmark.objects, outside=outside))
    result = handler.handle(task, benchmark.context(tmp_path / "scratch"))
    kb_id = task.body.kb_id  # type: ignore[union-attr]
    lies = tmp_path / "lake" / "kb" / kb_id
    library = Library(benchmark.objects, tmp_path / "cache", outside=outside)
    assert lies.is_dir()
    with pytest.raises(NotFoundError):
        library.get(kb_id)  # the data are there, but it does not exist before its manifest does

    benchmark.objects.create(handler.result_key(task), result.data)
    [passages] = library.get(kb_id).search(["green light"], VECTORS)
    assert passages[0].document_id == "light"  # type: ignore[index]

    assert library.delete(kb_id)
    assert not lies.exists()
    with pytest.raises(NotFoundError):
        Library(benchmark.objects, tmp_path / "cache", outside=outside).get(kb_id)


def test_an_index_whose_table_is_gone_is_told(tmp_path: Path) -> None:
    build_knowledge_base(documents(), a_part("lance"), tmp_path / "kb")
    elsewhere = Site("kb", LanceStore(str(tmp_path / "nothing")))

    with pytest.raises(NotFoundError, match="delete the knowledge base and build it again"):
        open_knowledge_base(tmp_path / "kb", site=elsewhere)


def test_what_cannot_be_removed_whole_is_not_removed(tmp_path: Path) -> None:
    objects, kb_id = MemoryObjects(), "kb-" + "a" * 32
    manifest = KnowledgeBaseManifest(kb_id, "b", "test", "u1", "d", a_part("pgvector"), {}, 1, 1, 1, {})
    objects.create(object_keys.kb_manifest(kb_id), stored.encode(manifest))

    with pytest.raises(InvalidInputError, match="set BAKEOFF_POSTGRES_URL"):
        Library(objects, tmp_path).delete(kb_id)

    assert objects.stat(object_keys.kb_manifest(kb_id)) is not None


def test_the_bucket_and_the_server_are_those_of_the_settings() -> None:
    outside = outside_settings.outside_of(
        Settings(s3_endpoint="http://s3:1", s3_secret_key="s3cret", postgres_url="postgresql://u:pw@h/x")
    )
    site = outside.site("kb-1")

    assert site.lance is not None
    assert site.lance.uri == "s3://bakeoff/kb/kb-1"
    assert site.lance.options["aws_endpoint"] == "http://s3:1"
    assert site.lance.options["allow_http"] == "true"
    assert isinstance(site.postgres, PostgresServer)
    assert "s3cret" not in repr(outside)
    assert "pw" not in repr(outside)
    assert outside_settings.outside_of(Settings()).postgres is None


@pytest.mark.parametrize(
    ("absent", "settings", "refused"),
    [
        ("", Settings(postgres_url="postgresql://u@h/x"), {}),
        ("", Settings(), {"pgvector": "no PostgreSQL server is configured"}),
        ("pg8000", Settings(), {"pgvector": "pip install 'bakeoff[pgvector]'"}),
        ("lancedb", Settings(postgres_url="postgresql://u@h/x"), {"lance": "pip install 'bakeoff[lance]'"}),
    ],
)
def test_cards_say_why_an_index_cannot_be_had(
    absent: str, settings: Settings, refused: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outside_settings, "find_spec", lambda name: None if name == absent else object())

    told = {
        card.name: str(card.facts["refused"])
        for card in registries.cards(settings)
        if card.kind is ComponentKind.INDEX and "refused" in card.facts
    }

    assert told.keys() == refused.keys()
    assert all(why in told[name] for name, why in refused.items())


def test_the_example_of_the_guide_runs_without_a_server(tmp_path: Path) -> None:
    [example] = re.findall(r"```python\n(.*?)```", GUIDE.read_text(), re.DOTALL)

    said = subprocess.run([sys.executable, "-c", example], cwd=tmp_path, capture_output=True, text=True, check=True)

    assert said.stdout == "light The light on the pier is green.\n"


@pytest.mark.parametrize("faster", [True, False], ids=["the other one has written it", "the other one gave up"])
def test_a_table_that_another_builder_writes_at_the_same_time_is_there_in_the_end(
    faster: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, vectors = LanceStore(str(tmp_path)), np.eye(3, 8, dtype=np.float32)
    connection = store._connection()
    tries = 0

    class Contended:
        """What the library says was met with three builders and a store of objects."""

        open_table = connection.open_table

        def create_table(self, name: str, **settings: object) -> None:
            nonlocal tries
            tries += 1
            if faster or tries > 1:
                connection.create_table(name, **settings)
            if tries == 1:
                raise RuntimeError(
                    "lance error: Retryable commit conflict for version 2: This Overwrite transaction was preempted by "
                    "concurrent transaction Overwrite at version 2. Please retry."
                )

    monkeypatch.setattr(LanceStore, "_connection", lambda _: Contended())
    store.create("table", vectors)
    monkeypatch.undo()

    assert tries == (1 if faster else 2)
    assert store.open("table").shape() == (3, 8)
