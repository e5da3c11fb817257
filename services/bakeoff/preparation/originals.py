"""The originals of a benchmark: each file once, with its digest, whether it is one document or holds a million."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

from bakeoff.contract import object_keys
from bakeoff.domain.benchmark import BenchmarkDocument, ByteSpan
from bakeoff.domain.errors import InvalidInputError, NotFoundError
from bakeoff.domain.media_types import HEAD_BYTES, sniff
from bakeoff.domain.prepared import PreparedDocument, PreparedOriginal

PIECE_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class Original:
    """An original and the local file that has its bytes."""

    prepared: PreparedOriginal
    path: Path


class Originals:
    """Turns the documents of an adapter into originals and documents that point into them."""

    def __init__(self, scratch: Path, max_document_bytes: int) -> None:
        """Start with none.

        Args:
            scratch: Where bytes that come in no file are put.
            max_document_bytes: Largest document that is taken.
        """
        self._scratch = scratch
        self._max_document_bytes = max_document_bytes
        self._by_id: dict[str, Original] = {}
        self._containers: dict[Path, Container] = {}

    def all(self) -> list[Original]:
        """Return the originals in the order in which they were first met."""
        return list(self._by_id.values())

    def digest_of_file(self, path: Path) -> str:
        """Return the SHA-256 of a file, without reading again what was read as a container."""
        container = self._containers.get(path)
        return container.original.prepared.sha256 if container else hash_file(path).sha256

    def add(self, document: BenchmarkDocument) -> tuple[PreparedDocument, PreparedOriginal]:
        """Return a document as it is prepared, and its original, which is among `all` from then on.

        Raises:
            NotFoundError: its file is not there.
            InvalidInputError: it is too large, or its span lies outside of its file.
        """
        if document.span is not None and document.path is not None:
            return self._record(document, document.path, document.span)
        return self._whole(document)

    def bytes_of(self, document: PreparedDocument) -> bytes:
        """Return the bytes of a document that was added."""
        original = self._by_id[document.original_id]
        if document.span is None:
            return original.path.read_bytes()
        return self._containers[original.path].read(document.span)

    def close(self) -> None:
        """Close the files that are open."""
        for container in self._containers.values():
            container.file.close()

    def _record(
        self, document: BenchmarkDocument, path: Path, span: ByteSpan
    ) -> tuple[PreparedDocument, PreparedOriginal]:
        self._check_size(document, str(path), span.size_bytes)
        container = self._containers.get(path) or self._open(path)
        data = container.read(span)
        if len(data) != span.size_bytes or span.start < 0:
            raise InvalidInputError(
                f"document {document.document_id!r}: {path.name} has no bytes {span.start} to {span.stop}"
            )
        media_type = document.media_type or sniff(data[:HEAD_BYTES], document.name)
        digest = hashlib.sha256(data).hexdigest()
        original = container.original.prepared
        return _document(document, media_type, original, span, digest, len(data)), original

    def _whole(self, document: BenchmarkDocument) -> tuple[PreparedDocument, PreparedOriginal]:
        path = document.path
        if path is None:
            path = self._scratch / f"{len(self._by_id):08d}"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(document.data or b"")
        elif not path.is_file():
            raise NotFoundError(f"document {document.document_id!r}: {str(path)!r} is no file")
        self._check_size(document, str(document.path or document.name), path.stat().st_size)
        original = self._original(document.document_id, document.name, document.media_type, path)
        prepared = _document(document, original.media_type, original, None, original.sha256, original.size_bytes)
        return prepared, original

    def _open(self, path: Path) -> Container:
        self._original(path.stem, path.name, "", path)
        container = Container(self.all()[-1], path)
        self._containers[path] = container
        return container

    def _original(self, wanted: str, name: str, media_type: str, path: Path) -> PreparedOriginal:
        original_id, number = wanted, 2
        while original_id in self._by_id:  # a document may have the id that a container got before
            original_id, number = f"{wanted}~{number}", number + 1
        hashed = hash_file(path)
        prepared = PreparedOriginal(
            original_id,
            name,
            media_type or sniff(hashed.head, name),
            hashed.sha256,
            hashed.size_bytes,
            object_keys.blob(hashed.sha256),
        )
        self._by_id[original_id] = Original(prepared, path)
        return prepared

    def _check_size(self, document: BenchmarkDocument, file: str, size_bytes: int) -> None:
        if size_bytes > self._max_document_bytes:
            raise InvalidInputError(
                f"document {document.document_id!r} ({file}) has {size_bytes:,} bytes; "
                f"at most {self._max_document_bytes:,} are taken (BAKEOFF_MAX_DOCUMENT_BYTES)"
            )


def _document(
    document: BenchmarkDocument,
    media_type: str,
    original: PreparedOriginal,
    span: ByteSpan | None,
    sha256: str,
    size_bytes: int,
) -> PreparedDocument:
    return PreparedDocument(
        document.document_id,
        document.name,
        media_type,
        original.original_id,
        span,
        sha256,
        size_bytes,
        document.metadata,
    )


class Container:
    """A file whose records are documents, open while they are read."""

    def __init__(self, original: Original, path: Path) -> None:
        """Open a file."""
        self.original = original
        self.file = path.open("rb", buffering=PIECE_BYTES)

    def read(self, span: ByteSpan) -> bytes:
        """Return the bytes of a span; fewer when the file is shorter."""
        if self.file.tell() != span.start:  # records follow each other: most are near, in the buffer
            self.file.seek(span.start)
        return self.file.read(span.size_bytes)


@dataclass(frozen=True, slots=True)
class Hashed:
    """What one reading of a file gives."""

    sha256: str
    size_bytes: int
    head: bytes
    """Its first bytes."""


def hash_file(path: Path) -> Hashed:
    """Return a file's digest, size and first bytes, with bounded memory."""
    digest, size, head = hashlib.sha256(), 0, b""
    with path.open("rb") as file:
        while piece := file.read(PIECE_BYTES):
            head = head or piece[:HEAD_BYTES]
            digest.update(piece)
            size += len(piece)
    return Hashed(digest.hexdigest(), size, head)
