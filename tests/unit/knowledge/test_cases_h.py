"""Rows H1, H3, H6, H7 and H12 of the replayable cases: chunks that end, words that are found, units apart."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

from bakeoff.domain.answer import Failure, Passage
from bakeoff.domain.component import ComponentSpec
from bakeoff.domain.errors import InvalidInputError
from bakeoff.domain.recipe import BuildPart, QueryMode
from bakeoff.knowledge.build import build_knowledge_base
from bakeoff.knowledge.parsing import ParsedDocument, SourceDocument
from bakeoff.knowledge.registries import chunkers
from bakeoff.knowledge.search import KnowledgeBase, open_knowledge_base


def built(folder: Path, texts: dict[str, str]) -> KnowledgeBase:
    """Build a knowledge base with both indexes and open it."""
    documents = [SourceDocument(name, text.encode()) for name, text in texts.items()]
    part = BuildPart(embedder=ComponentSpec("hashing"), indexes=(ComponentSpec("bm25"), ComponentSpec("dense")))
    build_knowledge_base(documents, part, folder)
    return open_knowledge_base(folder)


def found(opened: KnowledgeBase, queries: list[str], engine: str = "full_text_search") -> list[list[str]]:
    """Return the ids of the documents that each query finds, best first."""
    answers = opened.search(queries, QueryMode("mode", ComponentSpec(engine), top_k=10))
    return [[passage.document_id for passage in passages_of(answer)] for answer in answers]


def passages_of(answer: tuple[Passage, ...] | Failure) -> tuple[Passage, ...]:
    assert not isinstance(answer, Failure), answer
    return answer


@pytest.mark.parametrize(
    "spec", ["tokens(size=512, overlap=512)", "recursive(max_tokens=512, overlap=512)", "tokens(size=512, overlap=600)"]
)
def test_h1_an_overlap_as_large_as_the_size_is_refused_before_anything_is_cut(spec: str) -> None:
    with pytest.raises(InvalidInputError, match="overlap"):
        chunkers.load().make(ComponentSpec.parse(spec))


@pytest.mark.parametrize("spec", ["tokens(size=10, overlap=9)", "recursive(max_tokens=10, overlap=9)"])
def test_h3_a_large_overlap_goes_on_with_every_chunk(spec: str) -> None:
    text = "The mole is old. " * 300
    spans = list(chunkers.load().make(ComponentSpec.parse(spec))(ParsedDocument(text)))

    assert len(spans) <= text.count(" ") + 300  # no more than there are tokens
    assert all(before[0] < after[0] and before[1] < after[1] for before, after in pairwise(spans))
    assert spans[-1][1] >= len(text.rstrip())


def test_h6_a_word_in_two_of_four_documents_finds_both_and_scores_above_zero(tmp_path: Path) -> None:
    four = built(tmp_path / "four", {"a": "mole pier", "b": "mole light", "c": "tide gauge", "d": "quay wall"})
    [passages] = four.search(["mole"], QueryMode("mode", ComponentSpec("full_text_search"), top_k=10))

    assert sorted(passage.document_id for passage in passages_of(passages)) == ["a", "b"]
    assert all(passage.score > 0 for passage in passages_of(passages))
    assert found(built(tmp_path / "two", {"a": "mole pier", "b": "tide gauge"}), ["mole"]) == [["a"]]


def test_h7_other_questions_find_something_else_and_one_without_a_known_word_nothing(tmp_path: Path) -> None:
    opened = built(tmp_path / "kb", {"a": "mole pier", "b": "tide gauge", "c": "quay wall"})

    assert found(opened, ["mole", "gauge", "zeppelin", "walls of the quay"]) == [["a"], ["b"], [], ["c"]]


@pytest.mark.parametrize("engine", ["full_text_search", "vector_search"])
def test_h12_two_knowledge_bases_that_are_open_at_once_see_their_own_documents_alone(
    tmp_path: Path, engine: str
) -> None:
    first = built(tmp_path / "first", {"a": "The mole is of granite."})
    second = built(tmp_path / "second", {"b": "The tide gauge is of brass."})

    for _ in range(2):
        mole, gauge = found(first, ["granite mole", "brass gauge"], engine)
        assert mole == ["a"]
        assert "b" not in gauge
        mole, gauge = found(second, ["granite mole", "brass gauge"], engine)
        assert gauge == ["b"]
        assert "a" not in mole
