"""Building a knowledge base in a folder and asking it, with no server."""

from __future__ import annotations

import math
import os
import re
import subprocess
import sys
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

import bakeoff.knowledge
from bakeoff.domain.answer import Failure, FailureKind, Passage, Span
from bakeoff.domain.component import ComponentSpec
from bakeoff.domain.errors import InvalidInputError, NotFoundError
from bakeoff.domain.identity import sha256_hex
from bakeoff.domain.recipe import BuildPart, QueryMode
from bakeoff.knowledge.build import Built, build_knowledge_base
from bakeoff.knowledge.chunking import Chunker
from bakeoff.knowledge.embedding import Embedder, Vectors
from bakeoff.knowledge.indexing import Hits
from bakeoff.knowledge.parsing import ParsedDocument, Parser, SourceDocument
from bakeoff.knowledge.querying import Indexes, QueryEngine
from bakeoff.knowledge.registries import chunkers, embedders, engines, parsers
from bakeoff.knowledge.search import KnowledgeBase, open_knowledge_base

parse_spec = ComponentSpec.parse
WORDS = QueryMode("words", ComponentSpec("full_text_search"), 10)


@parsers.register("paged_for_tests")
def paged_for_tests() -> Parser:
    """Take form feeds as ends of pages."""

    def parse(source: SourceDocument) -> ParsedDocument:
        text = source.data.decode()
        if "crash" in text:
            raise ZeroDivisionError("a fault of the plug-in")
        ends = [match.end() for match in re.finditer("\f|$", text)]
        return ParsedDocument(text, tuple(Span(*pair) for pair in zip([0, *ends], ends, strict=False)))

    return parse


@engines.register("touchy_for_tests", facts={"needs_indexes": ["bm25"]})
def touchy_for_tests() -> QueryEngine:
    """Fail on a query that says so."""

    class Touchy:
        def search(self, indexes: Indexes, queries: Sequence[str], top_k: int) -> list[Hits]:
            if "fail" in queries:
                raise RuntimeError("the query said so")
            return indexes.index("bm25").search(queries, top_k)

    return Touchy()


@chunkers.register("wrong_for_tests")
def wrong_for_tests() -> Chunker:
    """Break the promises of a chunker, as the text says."""
    wrong = {"empty": [(1, 1)], "beyond": [(0, 99)], "back": [(2, 4), (0, 2)]}
    return lambda document: wrong.get(document.text, [(0, len(document.text))])


@embedders.register("nan_for_tests")
def nan_for_tests() -> Embedder:
    """Give NaN for a text that says so."""

    @dataclass(frozen=True)
    class Wrong:
        dimension: int = 4

        def embed(self, texts: Sequence[str]) -> Vectors:
            return np.array([[math.nan if text == "nan" else 1.0] * 4 for text in texts], np.float32)

    return Wrong()


def built(folder: Path, *texts: str | SourceDocument, part: BuildPart | None = None) -> tuple[Built, KnowledgeBase]:
    documents = [
        SourceDocument(f"d{number}", text.encode()) if isinstance(text, str) else text
        for number, text in enumerate(texts)
    ]
    return build_knowledge_base(documents, part or BuildPart(), folder / "kb"), open_knowledge_base(folder / "kb")


def passages(found: tuple[Passage, ...] | Failure) -> tuple[Passage, ...]:
    assert not isinstance(found, Failure)
    return found


def test_the_example_of_the_package_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    _, example = (bakeoff.knowledge.__doc__ or "").split("::\n")

    exec(textwrap.dedent(example), {})

    assert (tmp_path / "kb").is_dir()


def test_chunks_are_traced_to_the_characters_of_their_document(tmp_path: Path) -> None:
    text = "Grün ist das Licht. Der Pier ist lang. 港口 mole."
    part = BuildPart(chunker=parse_spec("tokens(size=4, overlap=1)"))
    _, opened = built(tmp_path, "first", text, part=part)

    [found] = opened.search(["licht pier lang mole"], WORDS, text_ranks=10)

    assert len(passages(found)) == 5
    for passage in passages(found):
        assert passage.document_id == "d1"
        assert passage.text == text[passage.chars.start : passage.chars.stop]
    by_start = sorted(passages(found), key=lambda passage: passage.chars.start)
    assert [passage.chunk_id for passage in by_start] == [f"d1#{n}" for n in range(5)]


def test_a_passage_says_where_its_bytes_are(tmp_path: Path) -> None:
    line = SourceDocument("a b/#1", b"mole", raw_key="raw/x", raw_sha256="ab" * 32, raw_bytes=Span(7, 11))
    _, opened = built(tmp_path, line, "mole pier")

    [found] = opened.search(["mole"], WORDS, text_ranks=1)

    first, second = passages(found)
    assert first == Passage(
        1, first.score, "a b/#1", "a b/#1#0", "raw/x", "ab" * 32, Span(0, 4), Span(7, 11), None, "mole"
    )
    assert (second.rank, second.raw_bytes, second.text) == (2, None, None)
    assert second.raw_sha256 == sha256_hex(b"mole pier")


def test_a_passage_says_on_which_pages_it_is(tmp_path: Path) -> None:
    part = BuildPart(parse_spec("paged_for_tests"), parse_spec("tokens(size=2)"))
    _, opened = built(tmp_path, "mole one\fmole two three\f\fmole four", part=part)

    [found] = opened.search(["mole"], WORDS)

    pages = {passage.chunk_id: passage.pages for passage in passages(found)}
    assert pages == {"d0#0": Span(0, 1), "d0#1": Span(1, 2), "d0#2": Span(1, 4)}


def test_what_cannot_be_read_or_is_empty_is_listed_and_the_rest_is_built(tmp_path: Path) -> None:
    surrogate = SourceDocument("surrogate", rb'{"text": "\ud800"}', "application/vnd.bakeoff.record+json")
    broken = SourceDocument("broken", b"\x81")
    outcome, opened = built(tmp_path, "mole", broken, " ", surrogate)

    assert [(each.document_id, each.failure is None) for each in outcome.skipped] == [
        ("broken", False),
        ("d2", True),
        ("surrogate", False),
    ]
    assert {each.failure.kind for each in outcome.skipped if each.failure} == {FailureKind.PARSE}
    assert (outcome.documents, outcome.chunks, opened.tables.documents) == (1, 1, 1)


def test_a_fault_of_a_plug_in_with_one_document_does_not_end_the_build(tmp_path: Path) -> None:
    outcome, _ = built(tmp_path, "mole", "crash", part=BuildPart(parse_spec("paged_for_tests")))

    [skipped] = outcome.skipped
    assert skipped.failure is not None
    assert "'d1' failed: ZeroDivisionError: a fault of the plug-in" in skipped.failure.reason


@pytest.mark.parametrize(
    ("part", "error", "words"),
    [
        (BuildPart(parser=parse_spec("markdwn")), NotFoundError, "did you mean 'markdown'"),
        (BuildPart(chunker=parse_spec("tokens(size=5, overlap=5)")), InvalidInputError, "smaller than size"),
        (BuildPart(indexes=()), InvalidInputError, "at least one index; known: bm25, dense"),
        (
            BuildPart(indexes=(parse_spec("bm25"), parse_spec("bm25(k1=0.9)"))),
            InvalidInputError,
            "'bm25' stands there twice",
        ),
        (BuildPart(indexes=(parse_spec("dense"),)), InvalidInputError, "name one of hashing"),
    ],
)
def test_a_part_that_cannot_be_built_is_told_before_anything_is_read(
    tmp_path: Path, part: BuildPart, error: type[Exception], words: str
) -> None:
    with pytest.raises(error, match=words):
        build_knowledge_base(iter(()), part, tmp_path / "kb")

    assert not (tmp_path / "kb").exists()


def test_no_documents_and_a_repeated_id_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInputError, match="there are no documents"):
        build_knowledge_base([], BuildPart(), tmp_path)
    with pytest.raises(InvalidInputError, match="two documents have the id 'd'"):
        build_knowledge_base([SourceDocument("d", b"a"), SourceDocument("d", b"b")], BuildPart(), tmp_path)
    assert not list(tmp_path.iterdir())


def test_settings_that_are_left_out_have_their_defaults(tmp_path: Path) -> None:
    outcome, _ = built(tmp_path, "mole", part=BuildPart(chunker=parse_spec("tokens(size=9)")))

    assert str(outcome.build.chunker) == "tokens(overlap=0, size=9)"
    assert "k1=1.5" in str(outcome.build.indexes[0])


def test_a_bad_query_fails_alone(tmp_path: Path) -> None:
    _, opened = built(tmp_path, "mole", "pier")
    touchy = QueryMode("touchy", ComponentSpec("touchy_for_tests"), 5)

    mole, failed, blank, pier = opened.search(["mole", "fail", "", "pier"], touchy)

    assert [passage.document_id for passage in passages(mole)] == ["d0"]
    assert [passage.document_id for passage in passages(pier)] == ["d1"]
    assert failed == Failure(FailureKind.INFRASTRUCTURE, "the search failed: RuntimeError: the query said so")
    assert blank == Failure(FailureKind.INPUT, "the question is blank")


@pytest.mark.parametrize(
    ("mode", "error", "words"),
    [
        (QueryMode("m", ComponentSpec("vector_search")), InvalidInputError, "no index 'dense'; it was built with bm25"),
        (QueryMode("m", ComponentSpec("hybrid_search")), InvalidInputError, "no index 'dense'"),
        (QueryMode("m", ComponentSpec("fulltext_search")), NotFoundError, "did you mean 'full_text_search'"),
        (QueryMode("m", ComponentSpec("full_text_search"), 0), InvalidInputError, "at least 1, not 0"),
    ],
)
def test_a_mode_that_does_not_fit_is_no_matter_of_a_query(
    tmp_path: Path, mode: QueryMode, error: type[Exception], words: str
) -> None:
    _, opened = built(tmp_path, "mole")

    with pytest.raises(error, match=words):
        opened.search(["mole"], mode)


def test_words_vectors_and_both_are_asked_of_one_knowledge_base(tmp_path: Path) -> None:
    part = BuildPart(embedder=parse_spec("hashing"), indexes=(parse_spec("dense"), parse_spec("bm25")))
    _, opened = built(tmp_path, "the green light", "a mole of granite", "harbours", part=part)

    for engine in ("full_text_search", "vector_search", "hybrid_search"):
        [found] = opened.search(["granite mole"], QueryMode(engine, ComponentSpec(engine), 2))
        assert passages(found)[0].document_id == "d1"


def test_files_of_another_format_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    built(tmp_path, "mole")
    monkeypatch.setattr("bakeoff.knowledge.search.FORMAT", "2")

    with pytest.raises(InvalidInputError, match="the format '1', not '2'"):
        open_knowledge_base(tmp_path / "kb")


def test_another_process_with_another_hash_seed_makes_the_same_bytes(tmp_path: Path) -> None:
    script = """
import sys
from pathlib import Path
from bakeoff.domain.component import ComponentSpec
from bakeoff.domain.recipe import BuildPart
from bakeoff.knowledge.build import build_knowledge_base
from bakeoff.knowledge.parsing import SourceDocument
texts = ["The light on the pier is green.", "Der Hafen ist grün.", "Piers, moles and harbours."]
part = BuildPart(embedder=ComponentSpec("hashing"), indexes=(ComponentSpec("bm25"), ComponentSpec("dense")))
build_knowledge_base([SourceDocument(t[:5], t.encode()) for t in texts], part, Path(sys.argv[1]))
"""
    for seed in ("1", "2"):
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        subprocess.run([sys.executable, "-c", script, str(tmp_path / seed)], env=environment, check=True)

    names = sorted(path.name for path in (tmp_path / "1").iterdir())
    assert names == ["chunks.safetensors", "index-bm25.safetensors", "index-dense.safetensors"]
    assert all((tmp_path / "1" / name).read_bytes() == (tmp_path / "2" / name).read_bytes() for name in names)


def test_chunks_that_would_give_wrong_passages_are_not_taken(tmp_path: Path) -> None:
    part = BuildPart(chunker=parse_spec("wrong_for_tests"))

    outcome, _ = built(tmp_path, "fine", "empty", "beyond", "back", part=part)

    reasons = {each.document_id: each.failure.reason for each in outcome.skipped if each.failure}
    assert list(reasons) == ["d1", "d2", "d3"]
    assert "chunk [0, 99) is empty, out of order or beyond the text's end at 6" in reasons["d2"]


def test_a_vector_that_is_no_number_ends_the_build_and_names_the_text(tmp_path: Path) -> None:
    part = BuildPart(embedder=parse_spec("nan_for_tests"), indexes=(parse_spec("dense"),))

    with pytest.raises(InvalidInputError, match="NaN or infinity for the text 'nan'"):
        built(tmp_path, "fine", "nan", part=part)
