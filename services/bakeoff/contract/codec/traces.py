"""Traced answers and uses of documents on the wire."""

from __future__ import annotations

from bakeoff.contract.codec.answers import case_answer_from_wire, case_answer_to_wire
from bakeoff.contract.codec.values import span_from_wire, span_to_wire
from bakeoff.domain.trace import BenchmarkRevision, DocumentUse, TracedAnswer, TracedDocument
from bakeoff.v1 import report_service_pb2 as pb


def traced_answer_to_wire(traced: TracedAnswer) -> pb.TracedAnswer:
    """Return the message of a traced answer."""
    revision = traced.revision
    return pb.TracedAnswer(
        revision=pb.BenchmarkRevision(
            name=revision.name,
            version=revision.version,
            split=revision.split,
            fingerprint=revision.fingerprint,
            adapter=revision.adapter,
            resources=revision.resources,
        ),
        unit_id=traced.unit_id,
        entrant=traced.entrant,
        kb_id=traced.kb_id,
        parser=traced.parser,
        parser_version=traced.parser_version,
        chunker=traced.chunker,
        query=traced.query,
        answer=case_answer_to_wire(traced.answer),
        documents=[
            pb.TracedDocument(
                document_id=document.document_id,
                name=document.name,
                media_type=document.media_type,
                original_id=document.original_id,
                sha256=document.sha256,
            )
            for document in traced.documents
        ],
    )


def traced_answer_from_wire(message: pb.TracedAnswer) -> TracedAnswer:
    """Return the traced answer of a message."""
    revision = message.revision
    return TracedAnswer(
        BenchmarkRevision(
            revision.name,
            revision.version,
            revision.split,
            revision.fingerprint,
            revision.adapter,
            dict(sorted(revision.resources.items())),
        ),
        message.unit_id,
        message.entrant,
        message.kb_id,
        message.parser,
        message.parser_version,
        message.chunker,
        message.query,
        case_answer_from_wire(message.answer),
        tuple(
            TracedDocument(each.document_id, each.name, each.media_type, each.original_id, each.sha256)
            for each in message.documents
        ),
    )


def document_use_to_wire(use: DocumentUse) -> pb.DocumentUse:
    """Return the message of a use."""
    return pb.DocumentUse(
        benchmark=use.benchmark,
        unit_id=use.unit_id,
        case_id=use.case_id,
        entrant=use.entrant,
        rank=use.rank,
        chunk_id=use.chunk_id,
        chars=span_to_wire(use.chars),
        pages=span_to_wire(use.pages),
    )


def document_use_from_wire(message: pb.DocumentUse) -> DocumentUse:
    """Return the use of a message."""
    return DocumentUse(
        message.benchmark,
        message.unit_id,
        message.case_id,
        message.entrant,
        message.rank,
        message.chunk_id,
        span_from_wire(message.chars),
        span_from_wire(message.pages) if message.HasField("pages") else None,
    )
