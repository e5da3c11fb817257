"""What the S3 store makes of answers that a real server gives on bad days only."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from bakeoff.domain.errors import BakeoffError, DigestMismatchError, InvalidInputError, OutOfReachError
from bakeoff.domain.evaluation import ObjectRef
from bakeoff.domain.identity import sha256_hex
from bakeoff.runtime.s3_http import FileBody
from bakeoff.runtime.s3_objects import S3Objects

XML = "application/xml"
BODY = b"the whole object"


def error_xml(code: str) -> bytes:
    return f"<Error><Code>{code}</Code><Message>as told</Message><Resource>/b/k</Resource></Error>".encode()


class BadServer(ThreadingHTTPServer):
    """Answers every request as it was last told to."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Answers)
        self.status = 200
        self.media_type = XML
        self.body = b""
        self.length: int | None = None
        """Stated length of the body; None states the right one."""
        self.closed_first = 0
        """Requests whose connection is closed instead of an answer."""
        self.requests: list[str] = []

    def says(self, status: int, body: bytes = b"", media_type: str = XML, length: int | None = None) -> None:
        self.status, self.body, self.media_type, self.length = status, body, media_type, length


class _Answers(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: BadServer

    def answer(self) -> None:
        self.server.requests.append(self.command)
        self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if self.server.closed_first:
            self.server.closed_first -= 1
            self.close_connection = True
            return
        body = b"" if self.command == "HEAD" else self.server.body
        self.send_response(self.server.status)
        self.send_header("Content-Type", self.server.media_type)
        self.send_header("x-amz-meta-sha256", sha256_hex(BODY))
        self.send_header("Content-Length", str(len(body) if self.server.length is None else self.server.length))
        self.end_headers()
        self.wfile.write(body)
        self.close_connection = self.server.length is not None

    do_GET = do_PUT = do_HEAD = do_POST = do_DELETE = answer  # noqa: N815  # names of http.server

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def server() -> Iterator[BadServer]:
    with BadServer() as running:
        threading.Thread(target=running.serve_forever, args=(0.01,), daemon=True).start()
        yield running
        running.shutdown()


@pytest.fixture
def store(server: BadServer) -> S3Objects:
    endpoint = f"http://127.0.0.1:{server.server_port}"
    return S3Objects.connect(endpoint, "key", "secret-value", "bakeoff", "us-east-1", create_bucket=False)


@pytest.mark.parametrize(
    ("status", "code"),
    [
        (503, "SlowDown"),
        (503, "ServiceUnavailable"),
        (500, "InternalError"),
        (400, "RequestTimeout"),
        (429, "TooManyRequests"),
        (409, "ConditionalRequestConflict"),
        (599, "SomethingNew"),
    ],
)
def test_a_store_that_asks_to_wait_is_out_of_reach(store: S3Objects, server: BadServer, status: int, code: str) -> None:
    server.says(status, error_xml(code))

    with pytest.raises(OutOfReachError, match=code):
        store.create("k", b"x")


@pytest.mark.parametrize(
    ("status", "code", "setting"),
    [
        (403, "AccessDenied", "BAKEOFF_S3_SECRET_KEY"),
        (403, "InvalidAccessKeyId", "BAKEOFF_S3_ACCESS_KEY"),
        (403, "SignatureDoesNotMatch", "BAKEOFF_S3_SECRET_KEY"),
        (404, "NoSuchBucket", "BAKEOFF_S3_BUCKET"),
        (403, "RequestTimeTooSkewed", "clock"),
        (400, "SomethingNew", "as told"),
    ],
)
def test_a_store_that_refuses_says_what_to_set_and_no_secret(
    store: S3Objects, server: BadServer, status: int, code: str, setting: str
) -> None:
    server.says(status, error_xml(code))

    with pytest.raises(InvalidInputError, match=setting) as error:
        store.create("k", b"x")
    assert "secret-value" not in str(error.value)


@pytest.mark.parametrize(
    ("status", "kind", "words"), [(502, OutOfReachError, "502"), (404, InvalidInputError, "BAKEOFF_S3_ENDPOINT")]
)
def test_what_is_no_s3_store_is_told_from_one_that_is_down(
    store: S3Objects, server: BadServer, status: int, kind: type[BakeoffError], words: str
) -> None:
    server.says(status, b"<html>nginx</html>", "text/html")

    with pytest.raises(kind, match=words):
        store.read_key("k")


def test_a_transfer_that_breaks_off_never_verifies(store: S3Objects, server: BadServer, tmp_path: Path) -> None:
    ref = ObjectRef("k", sha256_hex(BODY), len(BODY))
    server.says(200, BODY[:-3], length=len(BODY))

    with pytest.raises(OutOfReachError):
        store.read(ref)
    with pytest.raises(OutOfReachError):
        store.read_key("k")
    with pytest.raises(OutOfReachError):
        store.download(ref, tmp_path / "file")
    assert list(tmp_path.iterdir()) == []


def test_a_short_answer_that_looks_whole_never_verifies(store: S3Objects, server: BadServer, tmp_path: Path) -> None:
    ref = ObjectRef("k", sha256_hex(BODY), len(BODY))
    server.says(200, BODY[:-3])

    with pytest.raises(DigestMismatchError):
        store.read(ref)
    with pytest.raises(DigestMismatchError):
        store.read_key("k")
    with pytest.raises(DigestMismatchError):
        store.download(ref, tmp_path / "file")
    assert list(tmp_path.iterdir()) == []


def test_a_store_that_ignores_ranges_gives_the_right_bytes(store: S3Objects, server: BadServer) -> None:
    server.says(200, b"0123456789")

    assert store.read_range("k", 3, 5) == b"34"


def test_a_connection_that_was_closed_meanwhile_is_opened_again(store: S3Objects, server: BadServer) -> None:
    server.says(200, BODY)
    server.closed_first = 1

    assert store.read_key("k") == BODY
    assert server.requests == ["GET", "GET"]


def test_a_file_is_sent_again_from_its_start(store: S3Objects, server: BadServer, tmp_path: Path) -> None:
    source = tmp_path / "file"
    source.write_bytes(b"x" * (2 << 20))
    server.closed_first = 1
    ref = ObjectRef("k", sha256_hex(source.read_bytes()), 2 << 20)
    with source.open("rb") as file:
        store._requests.put("k", FileBody(file, ref), {})

    assert server.requests == ["PUT", "PUT"]


def test_a_store_that_ignores_conditions_does_not_pass_the_check(store: S3Objects, server: BadServer) -> None:
    server.says(200, b"first")  # takes every write

    with pytest.raises(InvalidInputError, match="If-None-Match"):
        store.check()


def test_an_error_in_a_good_answer_to_the_last_request_of_an_upload_is_an_error(
    store: S3Objects, server: BadServer
) -> None:
    server.says(200, error_xml("InternalError"))

    with pytest.raises(OutOfReachError, match="InternalError"):
        store._requests.complete_upload("k", "upload", ["tag"], {})
