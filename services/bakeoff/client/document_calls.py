"""Calls of the document service."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from bakeoff.client.call import Call, Stream
from bakeoff.domain.errors import InvalidInputError
from bakeoff.v1 import document_service_pb2 as pb
from bakeoff.v1.document_service_pb2_grpc import DocumentServiceStub

PIECE_BYTES = 1 << 20  # the contract's largest


@dataclass(frozen=True, slots=True)
class Document:
    """One original in raw storage."""

    raw_key: str
    """`raw/benchmarks/{benchmark}/{split}/{document_id}/{name}`."""
    sha256: str
    """64 hexadecimal digits."""
    size_bytes: int
    media_type: str


class Uploaded(NamedTuple):
    """What came of an upload."""

    document: Document
    created: bool
    """False when the same bytes were there already."""


def upload(
    content: bytes | Path, *, benchmark: str, split: str, document_id: str, name: str, sha256: str, media_type: str
) -> Call[Uploaded]:
    """Return the call that stores an original.

    Raises:
        InvalidInputError: the content is a path without a file that can be read.
    """
    if isinstance(content, Path) and not content.is_file():
        raise InvalidInputError(f"there is no file {str(content)!r} to upload")
    header = pb.DocumentHeader(
        benchmark=benchmark,
        split=split,
        document_id=document_id,
        name=name or (content.name if isinstance(content, Path) else ""),
        sha256=sha256,
        media_type=media_type,
    )
    return Call(
        DocumentServiceStub,
        "UploadDocument",
        _Parts(header, content),
        lambda answer: Uploaded(_document(answer.document), answer.created),
    )


def download(raw_key: str, start: int, length: int) -> Stream[bytes]:
    """Return the call that reads an original."""
    message = pb.DownloadDocumentRequest(raw_key=raw_key, start=start, length=length)
    return Stream(DocumentServiceStub, "DownloadDocument", message, lambda piece: bytes(piece.data))


def get(raw_key: str) -> Call[Document]:
    """Return the call that gets what is known of an original."""
    message = pb.GetDocumentRequest(raw_key=raw_key)
    return Call(DocumentServiceStub, "GetDocument", message, lambda answer: _document(answer.document))


def listed(benchmark: str, split: str) -> Stream[Document]:
    """Return the call that lists originals."""
    message = pb.ListDocumentsRequest(benchmark=benchmark, split=split)
    return Stream(DocumentServiceStub, "ListDocuments", message, lambda answer: _document(answer.document))


@dataclass(frozen=True, slots=True)
class _Parts(Iterable[pb.UploadDocumentRequest]):
    """The messages of an upload: its header, the bytes in pieces, and that these were all."""

    header: pb.DocumentHeader
    content: bytes | Path

    def __iter__(self) -> Iterator[pb.UploadDocumentRequest]:
        yield pb.UploadDocumentRequest(header=self.header)
        for piece in self._pieces():
            yield pb.UploadDocumentRequest(data=piece)
        yield pb.UploadDocumentRequest(complete=True)

    def _pieces(self) -> Iterator[bytes]:
        if isinstance(self.content, bytes):
            for start in range(0, len(self.content), PIECE_BYTES):
                yield self.content[start : start + PIECE_BYTES]
            return
        with self.content.open("rb") as file:
            while piece := file.read(PIECE_BYTES):
                yield piece


def _document(message: Any) -> Document:
    return Document(message.raw_key, message.sha256, message.size_bytes, message.media_type)
