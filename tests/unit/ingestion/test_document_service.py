"""`DocumentService` over a real connection."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from pathlib import Path
from typing import Any

import grpc
import pytest

from bakeoff.domain.errors import NotFoundError
from bakeoff.domain.identity import sha256_hex
from bakeoff.ingestion.rpc import DocumentServicer
from bakeoff.ingestion.uploads import Upload
from bakeoff.runtime.memory_objects import MemoryObjects
from bakeoff.runtime.objects import OCTETS, ObjectInfo
from bakeoff.runtime.rpc import error_of, make_server
from bakeoff.v1 import document_service_pb2 as v1
from bakeoff.v1 import document_service_pb2_grpc

KEY = "raw/benchmarks/harbour/test/d1/tides.md"
PIECE = 1 << 20


def call(
    objects: MemoryObjects,
    ask: Callable[[Any], Awaitable[Any]],
    max_bytes: int = 1 << 30,
    root: Path | None = None,
) -> Any:
    """Run one exchange with a server of its own."""

    async def exchange() -> Any:
        server = make_server()
        servicer = DocumentServicer(objects, max_bytes, root)
        document_service_pb2_grpc.add_DocumentServiceServicer_to_server(servicer, server)
        port = server.add_insecure_port("127.0.0.1:0")
        await server.start()
        try:
            async with grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
                return await ask(document_service_pb2_grpc.DocumentServiceStub(channel))
        finally:
            await server.stop(None)

    return asyncio.run(exchange())


def a_header(**changes: str) -> v1.UploadDocumentRequest:
    fields = {"benchmark": "harbour", "split": "test", "document_id": "d1", "name": "tides.md", **changes}
    return v1.UploadDocumentRequest(header=v1.DocumentHeader(**fields))


def data(*pieces: bytes) -> list[v1.UploadDocumentRequest]:
    return [v1.UploadDocumentRequest(data=piece) for piece in pieces]


COMPLETE = v1.UploadDocumentRequest(complete=True)


def upload(objects: MemoryObjects, *requests: v1.UploadDocumentRequest, max_bytes: int = 1 << 30) -> Any:
    return call(objects, lambda stub: stub.UploadDocument(iter((*requests, COMPLETE))), max_bytes)


def download(objects: MemoryObjects, **request: Any) -> list[bytes]:
    async def ask(stub: Any) -> list[bytes]:
        return [piece.data async for piece in stub.DownloadDocument(v1.DownloadDocumentRequest(**request))]

    return call(objects, ask)  # type: ignore[no-any-return]


def listed(objects: MemoryObjects, **request: str) -> list[str]:
    async def ask(stub: Any) -> list[str]:
        return [each.document.raw_key async for each in stub.ListDocuments(v1.ListDocumentsRequest(**request))]

    return call(objects, ask)  # type: ignore[no-any-return]


def test_an_upload_is_stored_under_its_published_key() -> None:
    objects = MemoryObjects()
    response = upload(objects, a_header(sha256=sha256_hex(b"# Tides")), *data(b"# Ti", b"des"))
    assert response.created
    assert response.document == v1.Document(
        raw_key=KEY, sha256=sha256_hex(b"# Tides"), size_bytes=7, media_type="text/markdown"
    )
    assert objects.read_key(KEY) == b"# Tides"


def test_the_same_upload_twice_is_one_document() -> None:
    objects = MemoryObjects()
    upload(objects, a_header(), *data(b"a"))
    assert not upload(objects, a_header(), *data(b"a")).created
    assert [info.key for info in objects.list("")] == [KEY]


def test_other_bytes_under_a_taken_key_get_a_key_of_their_own() -> None:
    objects = MemoryObjects()
    upload(objects, a_header(), *data(b"old"))
    response = upload(objects, a_header(), *data(b"new"))
    assert f"/sha256-{sha256_hex(b'new')[:16]}/" in response.document.raw_key
    assert objects.read_key(KEY) == b"old"


def test_an_empty_document_can_be_stored() -> None:
    assert upload(MemoryObjects(), a_header()).document.size_bytes == 0


@pytest.mark.parametrize(
    ("requests", "expected"),
    [
        ([a_header(), COMPLETE], "after the one that says"),
        (data(b"a"), "bytes came before the header"),
        ([a_header(), *data(b"a"), a_header()], "a second header came"),
        ([a_header(sha256="0" * 64), *data(b"a")], f"1 bytes with SHA-256 {sha256_hex(b'a')} came, not {'0' * 64}"),
        ([a_header(sha256="beef"), *data(b"a")], "header.sha256: must be 64 lower-case hexadecimal digits, not 'beef'"),
        ([a_header(benchmark="", split="")], "header.split: must not be empty"),
        ([a_header(name="../x")], "header.name: must be a file name, not '../x'"),
        ([a_header(), *data(b"x" * 11)], "has more than the 10 bytes that are taken"),
    ],
)
def test_a_wrong_upload_is_refused_and_leaves_nothing(
    requests: Iterable[v1.UploadDocumentRequest], expected: str
) -> None:
    objects = MemoryObjects()
    with pytest.raises(grpc.RpcError) as caught:
        upload(objects, *requests, max_bytes=10)
    assert caught.value.code() is grpc.StatusCode.INVALID_ARGUMENT
    assert expected in str(error_of(caught.value, "the service"))
    assert list(objects.list("")) == []


def test_an_upload_is_gathered_in_the_folder_that_is_given_for_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[str] = []
    write = Upload.write

    def noting(self: Upload, piece: bytes) -> None:
        write(self, piece)
        seen.extend(str(path.relative_to(tmp_path)) for path in tmp_path.rglob("document"))

    monkeypatch.setattr(Upload, "write", noting)
    objects = MemoryObjects()
    call(objects, lambda stub: stub.UploadDocument(iter((a_header(), *data(b"one", b"two"), COMPLETE))), root=tmp_path)

    assert objects.stat(KEY) is not None
    assert len(seen) == 2
    assert list(tmp_path.iterdir()) == []


def test_an_upload_that_breaks_off_leaves_nothing() -> None:
    objects = MemoryObjects()
    with pytest.raises(grpc.RpcError, match="without saying that the document is complete"):
        call(objects, lambda stub: stub.UploadDocument(iter((a_header(), *data(b"half")))))
    assert list(objects.list("")) == []


def test_an_upload_that_its_sender_gives_up_leaves_nothing() -> None:
    objects = MemoryObjects()

    async def ask(stub: Any) -> None:
        async def requests() -> AsyncIterator[v1.UploadDocumentRequest]:
            yield a_header()
            yield data(b"half")[0]
            await asyncio.sleep(60)

        sending = stub.UploadDocument(requests())
        await asyncio.sleep(0.2)
        sending.cancel()
        with pytest.raises(asyncio.CancelledError):
            await sending
        await asyncio.sleep(0.2)

    call(objects, ask)
    assert list(objects.list("")) == []


def test_a_download_comes_in_pieces_of_at_most_a_mebibyte() -> None:
    objects = MemoryObjects()
    whole = os.urandom(2 * PIECE + 10)
    objects.create(KEY, whole)
    pieces = download(objects, raw_key=KEY)
    assert [len(piece) for piece in pieces] == [PIECE, PIECE, 10]
    assert b"".join(pieces) == whole


@pytest.mark.parametrize(
    ("start", "length", "expected"), [(2, 3, b"cde"), (4, 0, b"ef"), (4, 99, b"ef"), (6, 0, b""), (9, 2, b"")]
)
def test_a_part_can_be_downloaded(start: int, length: int, expected: bytes) -> None:
    objects = MemoryObjects()
    objects.create(KEY, b"abcdef")
    assert b"".join(download(objects, raw_key=KEY, start=start, length=length)) == expected


class Damaged(MemoryObjects):
    """Gives back other bytes than were stored."""

    def read_range(self, key: str, start: int, stop: int) -> bytes:
        return b"x" * len(super().read_range(key, start, stop))


def test_a_damaged_original_ends_its_download_with_data_loss() -> None:
    objects = Damaged()
    objects.create(KEY, b"abcdef")
    with pytest.raises(grpc.RpcError) as caught:
        download(objects, raw_key=KEY)
    assert caught.value.code() is grpc.StatusCode.DATA_LOSS


def test_what_is_known_of_an_original_is_told() -> None:
    objects = MemoryObjects()
    upload(objects, a_header(media_type="text/x-tide"), *data(b"abc"))
    document = call(objects, lambda stub: stub.GetDocument(v1.GetDocumentRequest(raw_key=KEY))).document
    assert document == v1.Document(raw_key=KEY, sha256=sha256_hex(b"abc"), size_bytes=3, media_type="text/x-tide")


class Foreign(MemoryObjects):
    """Has objects that another tool wrote, without a digest."""

    def stat(self, key: str) -> ObjectInfo | None:
        info = super().stat(key)
        return info and ObjectInfo(key, info.size_bytes, None, OCTETS)


def test_the_digest_of_a_foreign_object_is_made() -> None:
    objects = Foreign()
    objects.create(KEY, b"abc")
    document = call(objects, lambda stub: stub.GetDocument(v1.GetDocumentRequest(raw_key=KEY))).document
    assert document.sha256 == sha256_hex(b"abc")


@pytest.mark.parametrize(
    ("key", "code"),
    [(KEY, grpc.StatusCode.NOT_FOUND), ("evaluations/ev-1/request.json", grpc.StatusCode.INVALID_ARGUMENT)],
)
def test_only_originals_can_be_read(key: str, code: grpc.StatusCode) -> None:
    objects = MemoryObjects()
    objects.create("evaluations/ev-1/request.json", b"{}")
    with pytest.raises(grpc.RpcError) as caught:
        download(objects, raw_key=key)
    assert caught.value.code() is code
    if code is grpc.StatusCode.NOT_FOUND:
        assert isinstance(error_of(caught.value, "the service"), NotFoundError)


def test_originals_are_listed_by_benchmark_and_split() -> None:
    objects = MemoryObjects()
    places = [("a", "test", "1"), ("a", "dev", "2"), ("ab", "test", "3")]
    for benchmark, split, document_id in places:
        upload(objects, a_header(benchmark=benchmark, split=split, document_id=document_id), *data(b"x"))
    objects.create("prepared/x", b"no original")
    keys = [f"raw/benchmarks/{benchmark}/{split}/{document}/tides.md" for benchmark, split, document in places]
    assert listed(objects) == sorted(keys)
    assert listed(objects, benchmark="a") == sorted(keys[:2])
    assert listed(objects, benchmark="a", split="dev") == [keys[1]]
    with pytest.raises(grpc.RpcError) as caught:
        listed(objects, split="dev")
    assert caught.value.code() is grpc.StatusCode.INVALID_ARGUMENT
