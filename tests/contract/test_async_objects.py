"""Small objects from an event loop: every store does it, each in its own way."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from bakeoff.domain.errors import DigestMismatchError, NotFoundError, OutOfReachError
from bakeoff.domain.identity import sha256_hex
from bakeoff.runtime.async_objects import AsyncObjects
from bakeoff.runtime.memory_objects import MemoryObjects
from bakeoff.runtime.objects import ObjectStore
from bakeoff.runtime.quick_objects import asynchronous
from bakeoff.runtime.s3_server import S3Server


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[S3Server]:
    with S3Server(tmp_path_factory.mktemp("s3")) as server:
        yield server


@pytest.fixture(params=["memory", "s3"])
def store(request: pytest.FixtureRequest) -> Iterator[ObjectStore]:
    """A store, and one that others use without an event loop."""
    if request.param == "memory":
        yield MemoryObjects()
        return
    objects = request.getfixturevalue("server").connect()
    for info in list(objects.list("")):
        objects.delete(info.key)
    yield objects
    objects.close()


@pytest.fixture
def objects(store: ObjectStore) -> Iterator[AsyncObjects]:
    objects = asynchronous(store)
    yield objects
    objects.close()


def test_what_was_created_is_read_back_by_either_way(objects: AsyncObjects, store: ObjectStore) -> None:
    async def scenario() -> None:
        created = await objects.create("a/b", b"data", media_type="text/plain")
        assert (created.created, created.ref.sha256, created.ref.size_bytes) == (True, sha256_hex(b"data"), 4)
        assert await objects.read_key("a/b") == b"data"

    asyncio.run(scenario())
    there = store.stat("a/b")
    assert there is not None
    assert (there.sha256, there.media_type) == (sha256_hex(b"data"), "text/plain")
    assert store.read_key("a/b") == b"data"


def test_what_others_stored_is_read(objects: AsyncObjects, store: ObjectStore) -> None:
    store.create("a/b", b"theirs")
    assert asyncio.run(objects.read_key("a/b")) == b"theirs"


def test_the_first_writer_wins_and_the_second_is_told_what_is_stored(objects: AsyncObjects) -> None:
    async def scenario() -> None:
        await objects.create("a/b", b"first")
        second = await objects.create("a/b", b"second")
        assert (second.created, second.ref.sha256) == (False, sha256_hex(b"first"))
        assert await objects.read_key("a/b") == b"first"

    asyncio.run(scenario())


def test_of_16_writers_at_once_one_wins(objects: AsyncObjects) -> None:
    async def scenario() -> None:
        created = await asyncio.gather(*(objects.create("a/b", f"{n}".encode()) for n in range(16)))
        assert sum(each.created for each in created) == 1
        assert {each.ref.sha256 for each in created} == {sha256_hex(await objects.read_key("a/b"))}

    asyncio.run(scenario())


def test_what_is_not_there_is_not_found(objects: AsyncObjects) -> None:
    with pytest.raises(NotFoundError, match="a/b"):
        asyncio.run(objects.read_key("a/b"))


def test_all_keys_of_a_prefix_are_listed(objects: AsyncObjects) -> None:
    async def scenario() -> None:
        wanted = {f"a/{n:02}/{n}" for n in range(60)}
        await asyncio.gather(*(objects.create(key, b"") for key in [*wanted, "b/c", "ab/c"]))
        assert set(await objects.keys("a/")) == wanted
        assert await objects.keys("nothing/") == []

    asyncio.run(scenario())


def test_it_may_be_used_from_one_event_loop_after_the_other(objects: AsyncObjects) -> None:
    for number in range(3):
        assert asyncio.run(objects.create(f"a/{number}", b"x")).created


def test_bytes_that_are_not_what_their_writer_stated_are_noticed(server: S3Server) -> None:
    objects = server.connect()
    objects.delete("tampered")
    objects._requests.put("tampered", b"other", {"x-amz-meta-sha256": sha256_hex(b"stated")})
    quick = asynchronous(objects)
    with pytest.raises(DigestMismatchError):
        asyncio.run(quick.read_key("tampered"))
    quick.close()


def test_a_store_that_dies_is_out_of_reach_and_used_again_when_it_is_back(tmp_path: Path) -> None:
    with S3Server(tmp_path) as server:
        quick = asynchronous(server.connect())
        asyncio.run(quick.create("a", b"x"))
        server.kill()
        for call in (quick.create("b", b"x"), quick.read_key("a"), quick.keys("a/")):
            with pytest.raises(OutOfReachError):
                asyncio.run(call)
        server.start()
        assert asyncio.run(quick.create("b", b"x")).created
        assert asyncio.run(quick.read_key("a")) == b"x"
        quick.close()
