"""What recipes, units and builders share: each document is parsed, chunked and embedded once for all that agree."""

from __future__ import annotations

import random
import threading
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from bakeoff.contract import stored
from bakeoff.domain.component import ComponentSpec
from bakeoff.domain.errors import CancelledItemError
from bakeoff.domain.evaluation import ObjectRef
from bakeoff.domain.knowledge import KnowledgeBaseManifest
from bakeoff.domain.prepared import PreparedDocument, PreparedManifest
from bakeoff.domain.recipe import BuildPart
from bakeoff.knowledge import lots, unit_lots
from bakeoff.knowledge.chunking import Chunk, Chunker
from bakeoff.knowledge.claims import Claims, OwnClaims
from bakeoff.knowledge.embedding import Embedder, TokenCounts, Vectors
from bakeoff.knowledge.handlers import build_handler
from bakeoff.knowledge.lots import cut_lots
from bakeoff.knowledge.parsing import ParsedDocument, Parser, SourceDocument
from bakeoff.knowledge.publishing import Resources
from bakeoff.knowledge.registries import chunkers, embedders, parsers
from bakeoff.knowledge.stages import ClaimedElsewhereError, SharedStages, Step
from bakeoff.models.access import ModelAccess
from bakeoff.runtime.memory_objects import MemoryObjects
from tests.unit.knowledge.stored_benchmark import Doc, StoredBenchmark, a_stored_benchmark

spec = ComponentSpec.parse
DONE: Counter[tuple[str, str, str]] = Counter()
"""How often each component worked on each text, over all builders of this process."""
LOCK = threading.Lock()


def note(kind: str, which: object, text: str) -> None:
    with LOCK:
        DONE[kind, str(which), text] += 1


@parsers.register("noting_for_tests")
def counting_parser(*, upper: bool = False) -> Parser:
    """Count documents."""

    def parse(source: SourceDocument) -> ParsedDocument:
        text = source.data.decode()
        note("parse", upper, text)
        return ParsedDocument(text.upper() if upper else text)

    return parse


@chunkers.register("noting_for_tests")
def counting_chunker(*, size: int = 10) -> Chunker:
    """Count documents, and cut them after so many characters."""

    def chunk(document: ParsedDocument) -> list[Chunk]:
        note("chunk", size, document.text)
        length = len(document.text)
        return [(start, min(start + size, length)) for start in range(0, length, size)]

    return chunk


@embedders.register("noting_for_tests")
def counting_embedder(*, seed: int = 0) -> Embedder:
    """Count texts."""

    @dataclass(frozen=True)
    class Counting:
        dimension: int = 4

        def embed(self, texts: Sequence[str]) -> Vectors:
            for text in texts:
                note("embed", seed, text)
            return np.array([[1.0, len(text), seed, 1.0] for text in texts], np.float32)

    return Counting()


@embedders.register("paid_for_tests")
def paid_embedder() -> Embedder:
    """Count a token a character, two of the currency a token."""

    @dataclass
    class Paid:
        dimension: int = 4
        tokens: int = 0

        def with_models(self, models: ModelAccess) -> Embedder:
            return self

        def embed(self, texts: Sequence[str]) -> Vectors:
            return self.embed_counted(texts)[0]

        def embed_counted(self, texts: Sequence[str]) -> tuple[Vectors, TokenCounts]:
            self.tokens += sum(map(len, texts))
            return np.ones((len(texts), 4), np.float32), np.array([float(len(text)) for text in texts])

        def cost(self, tokens: float) -> float | None:
            return 2.0 * tokens

        def spent(self) -> dict[str, int]:
            return {"embedding_tokens": self.tokens} if self.tokens else {}

    return Paid()


def parts() -> list[BuildPart]:
    """Two parsers by three chunkers by two embedders."""
    return [
        BuildPart(
            spec(f"noting_for_tests(upper={upper})"),
            spec(f"noting_for_tests(size={size})"),
            spec(f"noting_for_tests(seed={seed})"),
            (spec("bm25"), spec("dense")),
        )
        for upper, size, seed in product(("false", "true"), (10, 20, 40), (1, 2))
    ]


def documents(count: int) -> list[Doc]:
    rng = random.Random(7)
    return [
        Doc(
            f"d{n}",
            " ".join(rng.choices(["mole", "light", "pier", "harbour", "granite", "green"], k=9)).encode() + b" %d" % n,
        )
        for n in range(count)
    ]


@pytest.fixture(autouse=True)
def fresh(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing was counted, and a lot has few documents."""
    DONE.clear()
    monkeypatch.setattr(lots, "MOST_DOCUMENTS", 4)


class Builder:
    """One of several that work on the same store."""

    def __init__(self, benchmark: StoredBenchmark, claims: Claims, folder: Path) -> None:
        self.benchmark, self.folder = benchmark, folder
        stages = SharedStages(benchmark.objects, claims)
        self.handler = build_handler(None, Resources(benchmark.objects, stages))

    def build(self, part: BuildPart, name: str, **changes: object) -> dict[str, int]:
        result = self.handler.handle(self.benchmark.task(part, **changes), self.benchmark.context(self.folder / name))
        return result.counts


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_twelve_recipes_in_any_order_by_several_builders_do_each_step_once(tmp_path: Path, seed: int) -> None:
    benchmark, claims = a_stored_benchmark(*documents(22)), OwnClaims()
    builders = [Builder(benchmark, claims, tmp_path / str(number)) for number in range(4)]
    order = list(enumerate(parts()))
    random.Random(seed).shuffle(order)

    def build(at: int) -> dict[str, int]:
        number, part = order[at]
        return builders[at % 4].build(part, str(number))

    with ThreadPoolExecutor(4) as pool:
        counts = list(pool.map(build, range(12)))

    totals: Counter[str] = Counter()
    for each in counts:
        totals.update(each)
    assert totals["parse_computed"] == 2 * 22
    assert totals["chunk_computed"] == 6 * 22
    assert totals["embed_computed"] == 12 * 22
    # Twelve builds asked for each of the three.
    assert totals["parse_reused"] == 10 * 22
    assert totals["chunk_reused"] == 6 * 22
    assert totals["embed_reused"] == 0
    assert {count for (kind, *_), count in DONE.items() if kind == "parse"} == {1}
    assert sum(count for (kind, *_), count in DONE.items() if kind == "chunk") == 6 * 22


def test_another_embedder_embeds_only(tmp_path: Path) -> None:
    builder = Builder(a_stored_benchmark(*documents(9)), OwnClaims(), tmp_path)
    one, other = parts()[:2]
    builder.build(one, "1")

    counts = builder.build(other, "2")

    assert {name: counts.get(name, 0) for name in ("parse_computed", "chunk_computed", "embed_computed")} == {
        "parse_computed": 0,
        "chunk_computed": 0,
        "embed_computed": 9,
    }


def test_a_text_that_occurs_twice_is_embedded_once_wherever_it_stands(tmp_path: Path) -> None:
    docs = [Doc(f"d{n}", b"the same everywhere") for n in range(9)] + [Doc("e", b"another")]
    part = replace(parts()[0], chunker=spec("noting_for_tests(size=100)"))

    counts = Builder(a_stored_benchmark(*docs), OwnClaims(), tmp_path).build(part, "1")

    assert counts["texts_embedded"] == 2
    assert {text: count for (kind, _, text), count in DONE.items() if kind == "embed"} == {
        "the same everywhere": 1,
        "another": 1,
    }


def test_what_vectors_take_is_known_also_where_somebody_else_paid(tmp_path: Path) -> None:
    docs = [Doc(f"d{n}", b"the same everywhere") for n in range(9)] + [Doc("e", b"another")]
    builder = Builder(a_stored_benchmark(*docs), OwnClaims(), tmp_path)
    one = replace(parts()[0], chunker=spec("noting_for_tests(size=100)"), embedder=spec("paid_for_tests"))
    other = replace(one, indexes=(spec("dense"),))
    tokens = len("the same everywhere") + len("another")

    paid, found = builder.build(one, "1"), builder.build(other, "2")

    assert (paid["embedding_tokens"], paid.get("embedding_tokens_found")) == (tokens, None)
    assert (found.get("embedding_tokens"), found["embedding_tokens_found"]) == (None, tokens)
    for part, name in ((one, "3"), (other, "4")):
        result = builder.handler.handle(builder.benchmark.task(part), builder.benchmark.context(tmp_path / name))
        manifest = stored.decode(result.data, KnowledgeBaseManifest)
        assert manifest.measures == {"embedder.tokens": tokens, "embedder.cost": 2 * tokens}


def test_what_is_shared_gives_the_bytes_of_what_is_not(tmp_path: Path) -> None:
    benchmark, part = a_stored_benchmark(*documents(13)), parts()[3]
    task = benchmark.task(part)
    alone = build_handler().handle(task, benchmark.context(tmp_path / "alone"))
    builder = Builder(benchmark, OwnClaims(), tmp_path)

    first = builder.handler.handle(task, benchmark.context(tmp_path / "first"))
    second = builder.handler.handle(task, benchmark.context(tmp_path / "second"))

    assert first.data == second.data == alone.data
    assert second.counts["embed_reused"] == 13


def test_units_share_the_lots_of_common_documents_and_see_no_others(tmp_path: Path) -> None:
    benchmark = a_stored_benchmark(*documents(10))
    ids = [f"d{n}" for n in range(10)]
    units = [
        replace(benchmark.unit, unit_id=f"u{number}", document_ids=tuple(chosen), documents_digest=f"{number}" * 64)
        for number, chosen in enumerate((ids[:6], ids[3:], [*ids[:2], *ids[8:]]))
    ]
    several = with_units(benchmark, *units)
    builder = Builder(several, OwnClaims(), tmp_path)
    part = parts()[0]

    found = []
    for unit in units:
        several.unit = unit
        result = builder.handler.handle(several.task(part), several.context(tmp_path / unit.unit_id))
        found.append(stored.decode(result.data, KnowledgeBaseManifest))

    assert [each.documents for each in found] == [6, 7, 4]
    assert {count for (kind, *_), count in DONE.items() if kind == "parse"} == {1}
    assert sum(count for (kind, *_), count in DONE.items() if kind == "parse") == 10
    for unit, manifest in zip(units, found, strict=True):
        tables = several.objects.read(manifest.files["chunks.safetensors"])
        foreign = [doc for doc in documents(10) if doc.document_id not in unit.document_ids]
        assert not [doc for doc in foreign if doc.data in tables]


def test_a_lot_is_of_documents_that_are_in_the_same_units(tmp_path: Path) -> None:
    benchmark = a_stored_benchmark(*documents(8))
    ids = [f"d{n}" for n in range(8)]
    units = [
        replace(benchmark.unit, unit_id="a", document_ids=tuple(ids[:5])),
        replace(benchmark.unit, unit_id="b", document_ids=(ids[0], *ids[4:])),
    ]
    sized = [benchmark_document(n) for n in range(8)]

    starts = unit_lots.lot_starts(sized, units, {name: number for number, name in enumerate(ids)})

    # d0 is in both, d1 to d3 in a, d4 in both, d5 to d7 in b.
    assert starts == (0, 1, 4, 5)


def test_a_corpus_with_a_document_more_shares_all_but_the_lots_near_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lots, "LEAST_DOCUMENTS", 8)
    monkeypatch.setattr(lots, "MOST_DOCUMENTS", 4000)
    monkeypatch.setattr(lots, "LAST_BELOW", 256)  # one of 16
    digests = [f"{random.Random(number).getrandbits(256):064x}" for number in range(1000)]

    def cut(all_of_them: list[str]) -> set[tuple[str, ...]]:
        return {tuple(lot) for lot in cut_lots(all_of_them, lambda digest: (100, digest))}

    before, after = cut(digests), cut(["7" * 64, *digests])

    assert len(before) > 20
    assert len(before - after) <= 5


def test_a_large_document_is_a_lot_of_its_own_and_no_lot_is_larger_than_allowed() -> None:
    sizes = [1, 2, lots.LARGE_BYTES, 3, 4]

    cut = list(cut_lots(sizes, lambda size: (size, "f" * 64)))

    assert cut == [[1, 2], [lots.LARGE_BYTES], [3, 4]]
    many = list(cut_lots([200_000] * 50, lambda size: (size, "f" * 64)))
    assert sum(map(len, many)) == 50
    assert max(map(sum, many)) <= lots.MOST_BYTES


def test_who_waits_gets_what_the_other_made_and_who_does_not_is_told(tmp_path: Path) -> None:
    stages = SharedStages(MemoryObjects(), OwnClaims())
    making, finish = threading.Event(), threading.Event()

    def slow(path: Path) -> None:
        making.set()
        finish.wait(10)
        path.write_bytes(b"made once")

    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(stages.obtain, Step.PARSE, "k", tmp_path / "1", slow)
        making.wait(10)
        with pytest.raises(ClaimedElsewhereError):
            stages.obtain(Step.PARSE, "k", tmp_path / "2", pytest.fail, wait=False)
        second = pool.submit(stages.obtain, Step.PARSE, "k", tmp_path / "3", pytest.fail)
        finish.set()
        assert (first.result(), second.result()) == (True, False)
    assert (tmp_path / "3").read_bytes() == b"made once"


def test_an_artefact_that_goes_away_meanwhile_is_made_again(tmp_path: Path) -> None:
    class Vanishing(MemoryObjects):
        def download(self, ref: ObjectRef, path: Path) -> None:
            self.delete(ref.key)
            super().download(ref, path)

    def make(path: Path) -> None:
        path.write_bytes(b"made")

    stages = SharedStages(Vanishing(), OwnClaims())
    assert stages.obtain(Step.PARSE, "k", tmp_path / "1", make)

    assert stages.obtain(Step.PARSE, "k", tmp_path / "2", make)
    assert (tmp_path / "2").read_bytes() == b"made"


def test_who_fails_lets_go_of_its_claim(tmp_path: Path) -> None:
    stages = SharedStages(MemoryObjects(), OwnClaims())

    def fail(path: Path) -> None:
        raise CancelledItemError("the evaluation was cancelled")

    with pytest.raises(CancelledItemError):
        stages.obtain(Step.PARSE, "k", tmp_path / "1", fail)

    def make(path: Path) -> None:
        path.write_bytes(b"made")

    assert stages.obtain(Step.PARSE, "k", tmp_path / "2", make)


def benchmark_document(number: int) -> PreparedDocument:
    return PreparedDocument(f"d{number}", "name", "text/plain", f"d{number}", None, "f" * 64, 10)


def with_units(benchmark: StoredBenchmark, *units: object) -> StoredBenchmark:
    """The same benchmark with other units."""
    objects = benchmark.objects
    manifest = stored.decode(objects.read(benchmark.ref), PreparedManifest)
    written = objects.create("prepared/several/units.json", stored.encode(units)).ref
    ref: ObjectRef = objects.create(
        "prepared/several/manifest.json", stored.encode(replace(manifest, units=written))
    ).ref
    return replace(benchmark, ref=ref)
