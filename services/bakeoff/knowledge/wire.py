"""Answers of the knowledge service as messages, at the speed of the search.

A search of 300 questions takes some 40 ms; making 30,000 passages one field at a time takes five times as long. All of
a passage but its rank, score and text is the same whenever its chunk is found. So that part is made once, by the codec,
and kept as bytes; a message's encoding is the encodings of its fields, one behind the other.

Source: https://protobuf.dev/programming-guides/encoding/ ("Last One Wins" and "Message Structure").
"""

from __future__ import annotations

import struct
from functools import lru_cache

from bakeoff.contract import codec
from bakeoff.domain.answer import Failure, Passage
from bakeoff.domain.knowledge import KnowledgeBaseManifest
from bakeoff.knowledge.indexing import Hits
from bakeoff.knowledge.search import KnowledgeBase
from bakeoff.v1 import answer_pb2, knowledge_service_pb2

REMEMBERED = 1 << 16
"""Chunks whose part of a message is kept; some 15 MB."""
VARINT, FIXED64, LENGTH = 0, 1, 2


def _varint(number: int) -> bytes:
    """Return a number from 0 in groups of seven bits, lowest first."""
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)
    return bytes(out)


def _tag(message: type, field: str, wire_type: int) -> bytes:
    number = message.DESCRIPTOR.fields_by_name[field].number  # type: ignore[attr-defined]  # of every message class
    return _varint(number << 3 | wire_type)


RANK = _tag(answer_pb2.Passage, "rank", VARINT)
SCORE = _tag(answer_pb2.Passage, "score", FIXED64)
TEXT = _tag(answer_pb2.Passage, "text", LENGTH)
PASSAGES = _tag(knowledge_service_pb2.RetrieveResponse, "passages", LENGTH)
VARINTS = [_varint(number) for number in range(1 << 10)]
"""Ranks and sizes of nearly all passages."""
double = struct.Struct("<d").pack


def _size(number: int) -> bytes:
    return VARINTS[number] if number < len(VARINTS) else _varint(number)


class ResponseWriter:
    """Writes what a knowledge base found as messages; thread-safe."""

    def __init__(self, knowledge_base: KnowledgeBase) -> None:
        """Write for one open knowledge base."""
        self._knowledge_base = knowledge_base
        self._place = lru_cache(REMEMBERED)(self._encoded_place)

    def response(
        self, query_index: int, found: Hits | Failure, *, text_ranks: int, retrieve_ms: float
    ) -> knowledge_service_pb2.RetrieveResponse:
        """Return the message of what was found for one query.

        Args:
            query_index: Which query, from 0.
            found: Its hits, or why it could not be asked.
            text_ranks: First ranks whose texts are sent.
            retrieve_ms: Time of the search in milliseconds.
        """
        if isinstance(found, Failure):
            response = knowledge_service_pb2.RetrieveResponse(failure=codec.failure_to_wire(found))
        else:
            response = knowledge_service_pb2.RetrieveResponse.FromString(self._passages(found, text_ranks))
        response.query_index = query_index
        response.retrieve_ms = retrieve_ms
        return response

    def _passages(self, hits: Hits, text_ranks: int) -> bytes:
        parts: list[bytes] = []
        for rank, (chunk, score) in enumerate(zip(hits.chunks.tolist(), hits.scores.tolist(), strict=True), start=1):
            passage = RANK + _size(rank) + SCORE + double(score) + self._place(chunk)
            if rank <= text_ranks:
                text = self._knowledge_base.tables.encoded_text(chunk)
                passage += TEXT + _size(len(text)) + text
            parts += PASSAGES, _size(len(passage)), passage
        return b"".join(parts)

    def _encoded_place(self, chunk: int) -> bytes:
        """Return the part of a passage's message that is the same whenever the chunk is found."""
        passage: Passage = self._knowledge_base.passage(chunk)
        message = codec.passage_to_wire(passage)
        message.ClearField("rank")
        message.ClearField("score")
        return message.SerializeToString(deterministic=True)


def knowledge_base_to_wire(manifest: KnowledgeBaseManifest) -> knowledge_service_pb2.KnowledgeBase:
    """Return the message of a knowledge base."""
    return knowledge_service_pb2.KnowledgeBase(
        kb_id=manifest.kb_id,
        benchmark=manifest.benchmark,
        split=manifest.split,
        unit_id=manifest.unit_id,
        build=codec.build_part_to_wire(manifest.build),
        documents=manifest.documents,
        chunks=manifest.chunks,
        size_bytes=manifest.size_bytes,
        versions=manifest.versions,
        skipped=len(manifest.skipped),
    )
