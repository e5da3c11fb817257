"""Messages of what was found."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from bakeoff.contract import codec
from bakeoff.domain.answer import Failure, FailureKind, Span
from bakeoff.domain.recipe import BuildPart
from bakeoff.knowledge.build import build_knowledge_base
from bakeoff.knowledge.indexing import Hits
from bakeoff.knowledge.parsing import SourceDocument
from bakeoff.knowledge.search import open_knowledge_base
from bakeoff.knowledge.wire import ResponseWriter
from bakeoff.v1 import knowledge_service_pb2 as v1


def test_messages_are_those_that_the_codec_makes_of_the_passages(tmp_path: Path) -> None:
    documents = [
        SourceDocument(
            f"d{n}", b"mole " * n, raw_key="k" * n, raw_sha256="0" * 64, raw_bytes=Span(n, 300 * n) if n % 2 else None
        )
        for n in range(1, 300)
    ]
    build_knowledge_base(documents, BuildPart(), tmp_path)
    opened = open_knowledge_base(tmp_path)
    writer = ResponseWriter(opened)
    for chunks, scores in (
        (np.arange(298), np.linspace(9, 0, 298)),
        (np.array([297, 0]), np.array([1e300, -0.1])),
        (np.array([], np.int64), np.array([])),
    ):
        hits = Hits(chunks, scores)
        message = writer.response(3, hits, text_ranks=200, retrieve_ms=0.5)

        passages = [codec.passage_to_wire(passage) for passage in opened.passages(hits, 200)]
        assert message == v1.RetrieveResponse(query_index=3, passages=passages, retrieve_ms=0.5)


def test_a_failure_has_no_passages(tmp_path: Path) -> None:
    build_knowledge_base([SourceDocument("d", b"mole")], BuildPart(), tmp_path)
    failure = Failure(FailureKind.INPUT, "the question is blank")

    message = ResponseWriter(open_knowledge_base(tmp_path)).response(0, failure, text_ranks=1, retrieve_ms=0.1)

    assert codec.failure_from_wire(message.failure) == failure
    assert not message.passages
