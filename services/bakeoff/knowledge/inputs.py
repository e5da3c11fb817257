"""What a build reads: the documents of a unit with their bytes, out of raw storage."""

from __future__ import annotations

from bisect import bisect_right
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor

from bakeoff.domain.answer import Span
from bakeoff.domain.errors import DigestMismatchError, InvalidInputError
from bakeoff.domain.evaluation import ObjectRef
from bakeoff.domain.identity import sha256_hex
from bakeoff.domain.prepared import IngestedOriginal, PreparedDocument
from bakeoff.knowledge.parsing import SourceDocument
from bakeoff.runtime.objects import ObjectStore

THREADS = 8
"""Originals that are read at once: a read of a small one is nearly all waiting."""
AHEAD_BYTES = 32 << 20
"""Originals are read ahead up to this size together."""
LARGEST_BYTES = 512 << 20
"""A document of more is not read: parsing holds it several times, and what large corpora consist of is smaller."""
REQUEST_BYTES = 256 << 10
"""A request costs about as much as reading so many bytes (3 ms at 80 MB/s)."""


def source_documents(
    documents: Sequence[PreparedDocument], originals: Mapping[str, IngestedOriginal], objects: ObjectStore
) -> Iterator[SourceDocument]:
    """Yield documents with their bytes, in their order; each original is read once, and verified.

    Of an original of which little is needed, only that is read; then each document's own digest is verified. A document
    of more than LARGEST_BYTES comes without its bytes, and says why.

    Args:
        documents: What is wanted.
        originals: Where each original is, by its id.
        objects: Where they are.

    Raises:
        InvalidInputError: an original was not ingested, or a document reaches beyond it.
        NotFoundError: an original is gone from raw storage.
        DigestMismatchError: its bytes are others.
    """
    wanted: dict[str, list[PreparedDocument]] = {}
    for document in documents:
        if document.original_id not in originals:
            raise InvalidInputError(
                f"document {document.document_id!r}: its original {document.original_id!r} was not ingested"
            )
        if document.size_bytes <= LARGEST_BYTES:
            wanted.setdefault(document.original_id, []).append(document)

    def read(original_id: str) -> Iterator[bytes]:
        return iter(_read(originals[original_id], wanted[original_id], objects))

    left = {original_id: len(its) for original_id, its in wanted.items()}
    with _Ahead(read, {name: originals[name].size_bytes for name in wanted}) as ahead:
        for document in documents:
            original = originals[document.original_id]
            data, unread = b"", _too_large(document)
            if not unread:
                data = next(ahead.get(document.original_id))
                left[document.original_id] -= 1
                if not left[document.original_id]:
                    ahead.release(document.original_id)
            yield SourceDocument(
                document.document_id,
                data,
                document.media_type,
                document.name,
                original.raw_key,
                original.sha256,
                Span(document.span.start, document.span.stop) if document.span else None,
                unread,
            )


def _too_large(document: PreparedDocument) -> str:
    if document.size_bytes <= LARGEST_BYTES:
        return ""
    return f"it has {document.size_bytes:,} bytes; at most {LARGEST_BYTES:,} are parsed as one document"


class _Ahead:
    """Reads originals in the order of their first use, a bounded number of bytes ahead."""

    def __init__(self, read: Callable[[str], Iterator[bytes]], sizes: Mapping[str, int]) -> None:
        self._read = read
        self._sizes = sizes
        self._waiting = deque(sizes)
        self._reading: dict[str, Future[Iterator[bytes]]] = {}
        self._held = 0
        self._pool = ThreadPoolExecutor(THREADS, thread_name_prefix="originals")

    def get(self, name: str) -> Iterator[bytes]:
        """Return the documents' bytes of an original, waiting until it is read."""
        while self._waiting and (self._held < AHEAD_BYTES or name not in self._reading):
            following = self._waiting.popleft()
            self._held += self._sizes[following]
            self._reading[following] = self._pool.submit(self._read, following)
        return self._reading[name].result()

    def release(self, name: str) -> None:
        """Let go of an original's bytes."""
        del self._reading[name]
        self._held -= self._sizes[name]

    def __enter__(self) -> _Ahead:
        return self

    def __exit__(self, *_: object) -> None:
        self._pool.shutdown(cancel_futures=True)


def _read(original: IngestedOriginal, documents: Sequence[PreparedDocument], objects: ObjectStore) -> list[bytes]:
    """Return the bytes of each document of an original."""
    spans = [(document.span.start, document.span.stop) if document.span else None for document in documents]
    runs = _runs([span for span in spans if span])
    cost = sum(stop - start for start, stop in runs) + REQUEST_BYTES * len(runs)
    if None in spans or cost >= original.size_bytes:
        data = objects.read(ObjectRef(original.raw_key, original.sha256, original.size_bytes))
        return [_slice(data, 0, document) for document in documents]
    parts = {start: objects.read_range(original.raw_key, start, stop) for start, stop in runs}
    starts = sorted(parts)
    found = []
    for document, span in zip(documents, spans, strict=True):
        start = starts[bisect_right(starts, span[0] if span else 0) - 1]
        found.append(_verified(_slice(parts[start], start, document), document))
    return found


def _runs(spans: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Join spans that are nearer to each other than a request costs."""
    runs: list[tuple[int, int]] = []
    for start, stop in sorted(spans):
        if runs and start - runs[-1][1] < REQUEST_BYTES:
            runs[-1] = (runs[-1][0], max(runs[-1][1], stop))
        else:
            runs.append((start, stop))
    return runs


def _slice(data: bytes, offset: int, document: PreparedDocument) -> bytes:
    if document.span is None:
        return data
    part = data[document.span.start - offset : document.span.stop - offset]
    if len(part) != document.span.size_bytes:
        raise InvalidInputError(
            f"document {document.document_id!r} is bytes {document.span.start} to {document.span.stop} "
            f"of its original, which ends at {offset + len(data)}"
        )
    return part


def _verified(data: bytes, document: PreparedDocument) -> bytes:
    if sha256_hex(data) != document.sha256:
        raise DigestMismatchError(
            f"document {document.document_id!r} has SHA-256 {sha256_hex(data)} in raw storage, not {document.sha256}"
        )
    return data
