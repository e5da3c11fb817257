"""Every promise of ObjectStore, kept by its twins, by the embedded server, and by any S3 store that is named.

Set BAKEOFF_TEST_S3_ENDPOINT, BAKEOFF_TEST_S3_ACCESS_KEY and BAKEOFF_TEST_S3_SECRET_KEY to run it on a store of yours.
"""

from __future__ import annotations

import os
import threading
import time
import tracemalloc
import uuid
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from bakeoff.domain.errors import DigestMismatchError, InvalidInputError, NotFoundError, OutOfReachError
from bakeoff.domain.evaluation import ObjectRef
from bakeoff.domain.identity import sha256_hex
from bakeoff.runtime.directory_objects import DirectoryObjects
from bakeoff.runtime.memory_objects import MemoryObjects
from bakeoff.runtime.objects import OCTETS, ObjectStore
from bakeoff.runtime.ports import free_port
from bakeoff.runtime.s3_errors import TakenError
from bakeoff.runtime.s3_objects import S3Objects
from bakeoff.runtime.s3_requests import IF_ABSENT
from bakeoff.runtime.s3_server import S3Server
from bakeoff.runtime.s3_upload import upload_parts

REGION = "us-east-1"
EXTERNAL = os.environ.get("BAKEOFF_TEST_S3_ENDPOINT")
STORES = ("memory", "directory", "embedded", *(("external",) if EXTERNAL else ()))
AWKWARD = (
    "a b/c d",
    "a+b",
    "a#b",
    "a%b",
    "a%20b",
    "a?b=c&d",
    "a=2Eb",
    "ünïcödé/日本語/🙂",
    "e\u0301",  # decomposed: another key than é
    "é",
    'it\'s (a) "key"; really, [yes] {or} no!',
    "a~b*c@d$e^f|g<h>i`j",
    " leading and trailing ",
    "x." + "é" * 126,
    "/".join(["long"] * 200),
    "UPPER",
    "upper",
)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[S3Server]:
    with S3Server(tmp_path_factory.mktemp("s3")) as running:
        yield running


@pytest.fixture(params=STORES)
def store(request: pytest.FixtureRequest, tmp_path: Path) -> ObjectStore:
    """An empty store of each kind; for S3, a bucket of its own."""
    if request.param == "memory":
        return MemoryObjects()
    if request.param == "directory":
        return DirectoryObjects(tmp_path / "store")
    bucket = f"bakeoff-test-{uuid.uuid4().hex[:12]}"
    if request.param == "embedded":
        server = request.getfixturevalue("server")
        return S3Objects.connect(server.endpoint, server.access_key, server.secret_key, bucket, REGION)
    keys = (os.environ["BAKEOFF_TEST_S3_ACCESS_KEY"], os.environ["BAKEOFF_TEST_S3_SECRET_KEY"])
    return S3Objects.connect(EXTERNAL or "", *keys, bucket, REGION)


def test_what_was_created_is_read_back(store: ObjectStore) -> None:
    made = store.create("some/key.json", b'{"a": 1}', media_type="application/json")

    assert made.created
    assert made.ref == ObjectRef("some/key.json", sha256_hex(b'{"a": 1}'), 8)
    assert store.read(made.ref) == b'{"a": 1}'
    assert store.read_key("some/key.json") == b'{"a": 1}'


def test_stat_knows_size_digest_and_media_type(store: ObjectStore) -> None:
    store.create("k", b"12345", media_type="text/plain")

    info = store.stat("k")

    assert info is not None
    assert (info.key, info.size_bytes, info.sha256, info.media_type) == ("k", 5, sha256_hex(b"12345"), "text/plain")


def test_the_first_writer_wins_and_the_second_is_told_what_is_stored(store: ObjectStore) -> None:
    first = store.create("k", b"first")

    second = store.create("k", b"the second")

    assert not second.created
    assert second.ref == first.ref
    assert store.read(second.ref) == b"first"


def test_the_same_bytes_written_again_are_the_same_object(store: ObjectStore) -> None:
    first = store.create("k", b"same")

    assert store.create("k", b"same").ref == first.ref


def test_of_8_writers_at_once_one_wins(store: ObjectStore) -> None:
    start = threading.Barrier(8)  # of 32, SeaweedFS lets some wait for half a minute

    def write(number: int) -> tuple[bool, ObjectRef]:
        start.wait()
        made = store.create("race", f"writer {number}".encode())
        return made.created, made.ref

    with ThreadPoolExecutor(8) as pool:
        outcomes = list(pool.map(write, range(8)))

    assert sum(created for created, _ in outcomes) == 1
    assert len({ref for _, ref in outcomes}) == 1
    winner = next(number for number, (created, _) in enumerate(outcomes) if created)
    assert store.read_key("race") == f"writer {winner}".encode()


@pytest.mark.parametrize("key", AWKWARD, ids=range(len(AWKWARD)))
def test_an_awkward_key_is_kept_to_the_letter(store: ObjectStore, key: str) -> None:
    ref = store.create(key, key.encode()).ref

    assert store.read(ref) == key.encode()
    assert [info.key for info in store.list("")] == [key]
    store.delete(key)
    assert store.stat(key) is None


def test_awkward_keys_are_all_different_objects(store: ObjectStore) -> None:
    refs = [store.create(key, str(number).encode()).ref for number, key in enumerate(AWKWARD)]

    assert [store.read(ref) for ref in refs] == [str(number).encode() for number in range(len(AWKWARD))]


@pytest.mark.parametrize("order", [("a", "a/b"), ("a/b", "a")], ids=["outer first", "inner first"])
def test_a_key_may_lie_below_another(store: ObjectStore, order: tuple[str, str]) -> None:
    for key in order:
        assert store.create(key, key.encode()).created

    assert [store.read_key(key) for key in order] == [key.encode() for key in order]
    assert not store.create("a", b"other").created
    store.delete("a")
    assert store.stat("a") is None
    assert store.read_key("a/b") == b"a/b"


def test_the_folder_of_a_key_is_no_object(store: ObjectStore) -> None:
    store.create("a/b/c", b"x")

    assert store.stat("a/b") is None
    with pytest.raises(NotFoundError, match="a/b"):
        store.read_key("a/b")


@pytest.mark.parametrize(
    "key",
    ["", "/a", "a/", "a//b", "a/./b", "../a", "a/..", "a\\b", "a\nb", "a\x00b", "k" * 256, "k/" * 512 + "k"],
    ids=repr,
)
def test_a_key_that_not_every_store_can_hold_is_refused(store: ObjectStore, key: str) -> None:
    ref = ObjectRef(key, "0" * 64, 1)
    for use in (
        lambda: store.create(key, b"x"),
        lambda: store.read(ref),
        lambda: store.read_key(key),
        lambda: store.stat(key),
        lambda: store.delete(key),
        lambda: store.read_range(key, 0, 1),
    ):
        with pytest.raises(InvalidInputError, match="object key"):
            use()


def test_an_empty_object_is_an_object(store: ObjectStore, tmp_path: Path) -> None:
    ref = store.create("empty", b"").ref

    assert ref.size_bytes == 0
    assert store.read(ref) == b""
    assert store.read_range("empty", 0, 10) == b""
    store.download(ref, tmp_path / "empty")
    assert (tmp_path / "empty").read_bytes() == b""


def test_what_is_not_there_is_not_found(store: ObjectStore, tmp_path: Path) -> None:
    ref = ObjectRef("no/such", "0" * 64, 1)

    assert store.stat("no/such") is None
    store.delete("no/such")
    for use in (
        lambda: store.read(ref),
        lambda: store.read_key("no/such"),
        lambda: store.read_range("no/such", 0, 1),
        lambda: store.read_range("no/such", 0, 0),
        lambda: store.download(ref, tmp_path / "file"),
    ):
        with pytest.raises(NotFoundError, match="no/such"):
            use()
    assert list(tmp_path.glob("*file*")) == []


def test_other_bytes_than_named_are_refused_with_both_digests(store: ObjectStore, tmp_path: Path) -> None:
    store.create("k", b"these")
    named = ObjectRef("k", sha256_hex(b"those"), 5)

    with pytest.raises(DigestMismatchError) as error:
        store.read(named)
    with pytest.raises(DigestMismatchError):
        store.download(named, tmp_path / "file")

    assert sha256_hex(b"these") in str(error.value)
    assert sha256_hex(b"those") in str(error.value)
    assert list(tmp_path.glob("*file*")) == []
    assert list(tmp_path.glob(".new-*")) == []


@pytest.mark.parametrize(
    ("start", "stop", "expected"),
    [(0, 4, b"0123"), (3, 5, b"34"), (8, 100, b"89"), (10, 12, b""), (50, 60, b""), (4, 4, b"")],
)
def test_a_range_is_what_python_slices(store: ObjectStore, start: int, stop: int, expected: bytes) -> None:
    store.create("k", b"0123456789")

    assert store.read_range("k", start, stop) == expected == b"0123456789"[start:stop]


@pytest.mark.parametrize(("start", "stop"), [(-1, 2), (3, 2)])
def test_a_range_that_is_none_is_refused(store: ObjectStore, start: int, stop: int) -> None:
    store.create("k", b"0123456789")

    with pytest.raises(InvalidInputError, match="range"):
        store.read_range("k", start, stop)


def test_a_listing_is_in_byte_order(store: ObjectStore) -> None:
    keys = ["a", "a b", "a-b", "a.b", "a/b", "a/b/c", "a/b.c", "a0", "aé", "b", "B", "a/~"]
    for key in keys:
        store.create(key, key.encode())

    found = list(store.list(""))

    assert [info.key for info in found] == sorted(keys, key=str.encode)
    assert [info.size_bytes for info in found] == [len(info.key.encode()) for info in found]


@pytest.mark.parametrize("prefix", ["", "a", "a/", "a/b", "a/b/c", "a-", "nothing"])
def test_a_listing_has_the_keys_that_start_with_the_prefix(store: ObjectStore, prefix: str) -> None:
    keys = ["a", "a-b", "a/b", "a/b/c", "a/bc", "ab", "b"]
    for key in keys:
        store.create(key, b"x")

    assert [info.key for info in store.list(prefix)] == sorted(key for key in keys if key.startswith(prefix))


@pytest.mark.parametrize("after", ["a", "a-b", "a/b", "a/b/c", "a/zz", "zzz"])
def test_a_listing_starts_after_a_key_in_byte_order(store: ObjectStore, after: str) -> None:
    keys = ["a", "a-b", "a/b", "a/b/c", "a/bc", "ab", "b"]
    for key in keys:
        store.create(key, b"x")

    assert [info.key for info in store.list("", start_after=after)] == sorted(key for key in keys if key > after)


def test_a_listing_longer_than_a_page_is_whole(store: ObjectStore) -> None:
    keys = [f"many/{number:04d}" for number in range(1205)]  # S3 gives 1,000 at a time
    with ThreadPoolExecutor(16) as pool:
        list(pool.map(lambda key: store.create(key, b"x"), keys))

    assert [info.key for info in store.list("many/")] == keys
    assert [info.key for info in store.list("many/", start_after="many/1100")] == keys[1101:]


def test_a_deleted_key_is_free_again(store: ObjectStore) -> None:
    store.create("k", b"old")
    store.delete("k")

    made = store.create("k", b"new")

    assert made.created
    assert store.read_key("k") == b"new"


def test_a_large_file_goes_up_and_down_with_bounded_memory(store: ObjectStore, tmp_path: Path) -> None:
    size = 20 << 20
    source = tmp_path / "source"
    with source.open("wb") as file:
        for _ in range(20):
            file.write(os.urandom(1 << 20))
    bounded = not isinstance(store, MemoryObjects)

    tracemalloc.start()
    made = store.create_from_file("large", source, media_type="application/x-large")
    store.download(made.ref, tmp_path / "target")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()

    assert made.created
    assert (made.ref.size_bytes, made.ref.sha256) == (size, sha256_hex(source.read_bytes()))
    assert (tmp_path / "target").read_bytes() == source.read_bytes()
    info = store.stat("large")
    assert info is not None
    assert (info.size_bytes, info.sha256, info.media_type) == (size, made.ref.sha256, "application/x-large")
    assert store.read_range("large", (8 << 20) - 2, (8 << 20) + 2) == source.read_bytes()[(8 << 20) - 2 : (8 << 20) + 2]
    assert not bounded or peak < size


def test_a_large_file_does_not_take_a_taken_key(store: ObjectStore, tmp_path: Path) -> None:
    source = tmp_path / "source"
    source.write_bytes(b"x" * (9 << 20))
    first = store.create("k", b"first")

    assert store.create_from_file("k", source) == type(first)(first.ref, created=False)
    assert store.read_key("k") == b"first"


def test_of_8_large_files_at_once_one_wins(store: ObjectStore, tmp_path: Path) -> None:
    for number in range(8):
        (tmp_path / str(number)).write_bytes(bytes([number]) * (9 << 20))
    start = threading.Barrier(8)

    def write(number: int) -> tuple[bool, ObjectRef]:
        start.wait()
        made = store.create_from_file("race", tmp_path / str(number))
        return made.created, made.ref

    with ThreadPoolExecutor(8) as pool:
        outcomes = list(pool.map(write, range(8)))

    assert sum(created for created, _ in outcomes) == 1
    (ref,) = {ref for _, ref in outcomes}
    winner = next(number for number, (created, _) in enumerate(outcomes) if created)
    assert store.read(ref) == bytes([winner]) * (9 << 20)


def test_a_small_file_is_stored_like_its_bytes(store: ObjectStore, tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"small")

    assert store.create_from_file("k", tmp_path / "file").ref == ObjectRef("k", sha256_hex(b"small"), 5)
    info = store.stat("k")
    assert info is not None
    assert info.media_type == OCTETS


def test_a_download_takes_the_place_of_an_older_file(store: ObjectStore, tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"older and longer")
    ref = store.create("k", b"new").ref

    store.download(ref, tmp_path / "file")

    assert (tmp_path / "file").read_bytes() == b"new"


def test_16_threads_may_use_it_at_once(store: ObjectStore) -> None:
    def use(number: int) -> bytes:
        ref = store.create(f"thread/{number}", str(number).encode()).ref
        return store.read(ref)

    with ThreadPoolExecutor(16) as pool:
        assert list(pool.map(use, range(200))) == [str(number).encode() for number in range(200)]


def test_check_passes_and_leaves_nothing(store: ObjectStore) -> None:
    store.check()

    assert list(store.list("")) == []


# What only some stores can be brought to.


def test_tampered_bytes_in_a_folder_are_noticed(tmp_path: Path) -> None:
    store = DirectoryObjects(tmp_path)
    ref = store.create("a/k", b"genuine").ref
    (path,) = (path for path in (tmp_path / "objects").rglob("*") if path.is_file())
    path.write_bytes(path.read_bytes().replace(b"genuine", b"forgery"))

    with pytest.raises(DigestMismatchError):
        store.read(ref)
    with pytest.raises(DigestMismatchError):
        store.read_key("a/k")
    with pytest.raises(DigestMismatchError):
        store.download(ref, tmp_path / "file")


def test_bytes_that_are_not_what_their_writer_stated_are_noticed(server: S3Server) -> None:
    store = server.connect()
    store._requests.put("forged", b"forgery", {"x-amz-meta-sha256": sha256_hex(b"genuine")})

    with pytest.raises(DigestMismatchError):
        store.read_key("forged")


def test_an_object_of_a_foreign_tool_is_read_without_a_digest(server: S3Server) -> None:
    store = server.connect()
    store._requests.put("foreign", b"theirs", {})

    assert store.read_key("foreign") == b"theirs"
    assert store.create("foreign", b"ours").ref == ObjectRef("foreign", sha256_hex(b"theirs"), 6)


def test_a_write_to_a_folder_that_was_interrupted_is_not_visible(tmp_path: Path) -> None:
    pid = os.fork()
    if pid == 0:
        store = DirectoryObjects(tmp_path)
        os.link = lambda *paths: os._exit(9)  # dies between the bytes and the name
        store.create("k", b"never seen")
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 9

    store = DirectoryObjects(tmp_path)

    assert store.stat("k") is None
    assert list(store.list("")) == []
    assert store.create("k", b"whole").created


def test_an_upload_that_was_interrupted_is_not_visible(server: S3Server) -> None:
    store = server.connect()
    upload = store._requests.start_upload("partial", {})
    store._requests.put_part("partial", upload, 1, b"x" * (5 << 20))

    assert store.stat("partial") is None
    assert store.create("partial", b"whole").created
    store._requests.abort_upload("partial", upload)
    assert store.read_key("partial") == b"whole"


@pytest.mark.parametrize("largest", [1, 5 << 30], ids=["in parts", "in one request"])
@pytest.mark.parametrize("size", [9 << 20, 10 << 20], ids=["other bytes", "shorter"])
def test_a_file_that_changes_while_it_goes_up_is_refused_and_leaves_nothing(
    server: S3Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: int, largest: int
) -> None:
    source = tmp_path / "source"
    source.write_bytes(b"x" * (9 << 20))
    monkeypatch.setattr("bakeoff.runtime.s3_objects.digest_of_file", lambda path: ("0" * 64, size))
    monkeypatch.setattr("bakeoff.runtime.s3_upload.LARGEST_REQUEST_BYTES", largest)
    store = server.connect()

    with pytest.raises(InvalidInputError, match="changed"):
        store.create_from_file("changing", source)

    assert store.stat("changing") is None
    assert list(store._requests._client._list_multipart_uploads(server.bucket).uploads) == []


def test_a_file_too_large_for_one_request_goes_up_in_parts(
    server: S3Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bakeoff.runtime.s3_upload.LARGEST_REQUEST_BYTES", 1)
    source = tmp_path / "source"
    source.write_bytes(os.urandom(33 << 20))  # three parts
    store = server.connect()

    made = store.create_from_file("in-parts", source, media_type="text/x-parts")

    assert made.created
    assert store.read(made.ref) == source.read_bytes()
    info = store.stat("in-parts")
    assert info is not None
    assert (info.sha256, info.media_type) == (made.ref.sha256, "text/x-parts")
    with pytest.raises(TakenError):
        upload_parts(store._requests, source, made.ref, {}, IF_ABSENT)
    assert list(store._requests._client._list_multipart_uploads(server.bucket).uploads) == []


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")

    with pytest.raises((InvalidInputError, OutOfReachError), match="object folder"):
        DirectoryObjects(tmp_path / "file")


@pytest.mark.parametrize(("access", "secret"), [(None, "wrong"), ("wrong", None), ("", "")])
def test_wrong_credentials_say_what_to_set_and_show_no_secret(
    server: S3Server, access: str | None, secret: str | None
) -> None:
    keys = (
        server.access_key if access is None else access,
        server.secret_key if secret is None else secret,
    )

    with pytest.raises(InvalidInputError, match="BAKEOFF_S3_ACCESS_KEY") as error:
        S3Objects.connect(server.endpoint, *keys, server.bucket, REGION)
    assert server.secret_key not in str(error.value)
    store = S3Objects.connect(server.endpoint, *keys, server.bucket, REGION, create_bucket=False)
    with pytest.raises(InvalidInputError, match="BAKEOFF_S3_ACCESS_KEY"):
        store.check()


def test_a_bucket_that_is_not_there_says_what_to_set(server: S3Server) -> None:
    keys = (server.access_key, server.secret_key)
    store = S3Objects.connect(server.endpoint, *keys, "no-such-bucket", REGION, create_bucket=False)

    with pytest.raises(InvalidInputError, match="BAKEOFF_S3_BUCKET"):
        store.check()


@pytest.mark.parametrize(
    ("endpoint", "bucket", "setting"),
    [
        ("127.0.0.1:9000", "bakeoff", "BAKEOFF_S3_ENDPOINT"),
        ("http://127.0.0.1:9000/path", "bakeoff", "BAKEOFF_S3_ENDPOINT"),
        (None, "No Bucket", "BAKEOFF_S3_BUCKET"),
    ],
)
def test_a_setting_that_is_none_is_named(server: S3Server, endpoint: str | None, bucket: str, setting: str) -> None:
    with pytest.raises(InvalidInputError, match=setting):
        S3Objects.connect(endpoint or server.endpoint, server.access_key, server.secret_key, bucket, REGION)


def test_a_store_that_nobody_serves_is_out_of_reach_at_once() -> None:
    endpoint = f"http://127.0.0.1:{free_port()}"
    store = S3Objects.connect(endpoint, "key", "secret-value", "bakeoff", REGION, create_bucket=False)
    start = time.monotonic()

    for use in (
        store.check,
        lambda: store.create("k", b"x"),
        lambda: store.read_key("k"),
        lambda: store.stat("k"),
        lambda: list(store.list("")),
        lambda: store.delete("k"),
    ):
        with pytest.raises(OutOfReachError, match=endpoint) as error:
            use()
        assert "secret-value" not in str(error.value)
    assert time.monotonic() - start < 30


def test_a_host_that_drops_packets_is_out_of_reach_within_seconds() -> None:
    store = S3Objects.connect("http://192.0.2.1:9000", "k", "s", "bakeoff", REGION, create_bucket=False)  # RFC 5737
    start = time.monotonic()

    with pytest.raises(OutOfReachError):
        store.check()
    assert time.monotonic() - start < 30
