"""`DocumentService`: stores and serves originals."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from itertools import islice
from pathlib import Path
from typing import Any, TypeVar

from bakeoff.domain.errors import InvalidInputError, NotFoundError
from bakeoff.ingestion import reading
from bakeoff.ingestion.places import Place
from bakeoff.ingestion.reading import StoredOriginal
from bakeoff.ingestion.uploads import Upload
from bakeoff.runtime import callers
from bakeoff.runtime.holdings import Holdings
from bakeoff.runtime.objects import ObjectStore
from bakeoff.runtime.scratch import scratch_folder
from bakeoff.v1 import document_service_pb2 as v1
from bakeoff.v1 import document_service_pb2_grpc

T = TypeVar("T")
LISTED_PER_STEP = 50
"""Originals that are looked up at once while they are listed."""


class DocumentServicer(document_service_pb2_grpc.DocumentServiceServicer):
    """Serves `DocumentService`."""

    def __init__(self, objects: ObjectStore, max_document_bytes: int, scratch_root: Path | None = None) -> None:
        """Keep originals in a store.

        Args:
            objects: The store.
            max_document_bytes: Largest original that is taken.
            scratch_root: Where uploads are gathered; None means the system's folder for temporary files.
        """
        self._objects = objects
        self._holdings = Holdings(objects)
        self._max_bytes = max_document_bytes
        self._scratch_root = scratch_root

    async def UploadDocument(  # noqa: N802  # named by the contract
        self, requests: AsyncIterator[v1.UploadDocumentRequest], context: Any
    ) -> v1.UploadDocumentResponse:
        """Store one original; nothing is visible unless the stream says that it is complete."""
        with scratch_folder(self._scratch_root, "bakeoff-upload-") as folder:
            upload = await self._receive(requests, Path(folder) / "document")
            try:
                created, media_type = await asyncio.to_thread(upload.store, self._objects)
            finally:
                upload.close()
        original = StoredOriginal(created.ref.key, created.ref.sha256, created.ref.size_bytes, media_type)
        return v1.UploadDocumentResponse(document=_to_wire(original), created=created.created)

    async def DownloadDocument(  # noqa: N802  # named by the contract
        self, request: v1.DownloadDocumentRequest, context: Any
    ) -> AsyncIterator[v1.DownloadDocumentResponse]:
        """Read an original's bytes."""
        original = await asyncio.to_thread(self._own, request.raw_key)
        pieces = reading.pieces(self._objects, original, request.start, request.length)
        async for piece in _steps(pieces, 1):
            yield v1.DownloadDocumentResponse(data=piece)

    async def GetDocument(  # noqa: N802  # named by the contract
        self, request: v1.GetDocumentRequest, context: Any
    ) -> v1.GetDocumentResponse:
        """Get what is known of an original."""
        original = await asyncio.to_thread(self._own, request.raw_key)
        return v1.GetDocumentResponse(document=_to_wire(original))

    async def ListDocuments(  # noqa: N802  # named by the contract
        self, request: v1.ListDocumentsRequest, context: Any
    ) -> AsyncIterator[v1.ListDocumentsResponse]:
        """List originals by key."""
        caller = callers.current()
        listed = reading.listed(self._objects, request.benchmark, request.split)
        originals = (each for each in listed if self._holdings.holds_original(caller, each.raw_key))
        async for original in _steps(originals, LISTED_PER_STEP):
            yield v1.ListDocumentsResponse(document=_to_wire(original))

    def _own(self, raw_key: str) -> StoredOriginal:
        """Return what is known of an original that a benchmark of who calls uses; others do not exist."""
        original = reading.get(self._objects, raw_key)
        if not self._holdings.holds_original(callers.current(), raw_key):
            raise NotFoundError(f"there is no original {raw_key!r}")
        return original

    async def _receive(self, requests: AsyncIterator[v1.UploadDocumentRequest], file: Path) -> Upload:
        upload: Upload | None = None
        complete = False
        try:
            async for request in requests:
                if complete:
                    raise InvalidInputError("a message came after the one that says that the document is complete")
                if request.WhichOneof("part") == "header":
                    if upload is not None:
                        raise InvalidInputError("a second header came; one document is uploaded a call")
                    upload = self._begin(request.header, file)
                elif upload is None:
                    raise InvalidInputError("bytes came before the header; send the header first")
                elif request.WhichOneof("part") == "complete":
                    complete = request.complete
                else:
                    await asyncio.to_thread(upload.write, request.data)
            if upload is not None and not complete:
                # A caller that goes away ends the stream just like one that has sent everything.
                raise InvalidInputError("the stream ended without saying that the document is complete")
        except BaseException:  # also when the caller goes away
            if upload is not None:
                upload.close()
            raise
        if upload is None:
            raise InvalidInputError("nothing came; send the header, then the bytes")
        return upload

    def _begin(self, header: v1.DocumentHeader, file: Path) -> Upload:
        place = Place(header.benchmark, header.split, header.document_id, header.name)
        return Upload(place, header.sha256, header.media_type, file, self._max_bytes)


async def _steps(items: Iterator[T], count: int) -> AsyncIterator[T]:
    """Yield what a blocking iterator gives, taken in a thread, some at a time."""
    while step := await asyncio.to_thread(lambda: list(islice(items, count))):
        for item in step:
            yield item


def _to_wire(original: StoredOriginal) -> v1.Document:
    return v1.Document(
        raw_key=original.raw_key,
        sha256=original.sha256,
        size_bytes=original.size_bytes,
        media_type=original.media_type,
    )
