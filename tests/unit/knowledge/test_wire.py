"""Messages of what was found: by passages and by columns, with the same content."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from bakeoff.contract import codec
from bakeoff.domain.answer import Failure, FailureKind, Span
from bakeoff.domain.recipe import BuildPart
from bakeoff.knowledge.build import build_knowledge_base
from bakeoff.knowledge.indexing import Hits
from bakeoff.knowledge.parsing import SourceDocument
from bakeoff.knowledge.rankings import rankings_to_wire
from bakeoff.knowledge.search import KnowledgeBase, open_knowledge_base
from bakeoff.knowledge.wire import response_to_wire

FAILURE = Failure(FailureKind.INPUT, "the question is blank")


def a_knowledge_base(folder: Path) -> KnowledgeBase:
    documents = [
        SourceDocument(
            f"d{n}", b"mole " * n, raw_key="k" * n, raw_sha256="0" * 64, raw_bytes=Span(n, 300 * n) if n % 2 else None
        )
        for n in range(1, 300)
    ]
    build_knowledge_base(documents, BuildPart(), folder)
    return open_knowledge_base(folder)


def test_columns_read_back_as_the_very_passages(tmp_path: Path) -> None:
    opened = a_knowledge_base(tmp_path)
    found = [
        Hits(np.arange(298), np.linspace(9, 0, 298)),
        FAILURE,
        Hits(np.array([297, 0]), np.array([1e300, -0.1])),
        Hits(np.array([], np.int64), np.array([])),
    ]

    message = rankings_to_wire(opened, found, text_ranks=200, retrieve_ms=0.5)

    sources = codec.ranking_sources_from_wire(message.sources)
    for hits, ranking in zip(found, message.rankings, strict=True):
        assert ranking.retrieve_ms == 0.5
        if isinstance(hits, Failure):
            assert codec.failure_from_wire(ranking.failure) == hits
        else:
            assert codec.ranking_from_wire(ranking, sources) == opened.passages(hits, 200)


def test_nothing_found_is_a_message_too(tmp_path: Path) -> None:
    opened = a_knowledge_base(tmp_path)
    assert not rankings_to_wire(opened, [], text_ranks=1, retrieve_ms=0.0).rankings
    assert len(rankings_to_wire(opened, [FAILURE], text_ranks=1, retrieve_ms=0.0).rankings) == 1


def test_a_response_has_its_passages_or_its_failure(tmp_path: Path) -> None:
    opened = a_knowledge_base(tmp_path)
    hits = Hits(np.array([3, 1]), np.array([2.0, 1.0]))

    message = response_to_wire(opened, 7, hits, text_ranks=1, retrieve_ms=0.1)
    assert message.query_index == 7
    assert tuple(map(codec.passage_from_wire, message.passages)) == opened.passages(hits, 1)

    message = response_to_wire(opened, 0, FAILURE, text_ranks=1, retrieve_ms=0.1)
    assert codec.failure_from_wire(message.failure) == FAILURE
    assert not message.passages
