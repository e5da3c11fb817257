"""Downloads from a real server on this machine."""

from __future__ import annotations

import hashlib
import io
import threading
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from bakeoff.domain.benchmark import BenchmarkResource, ResourceKind
from bakeoff.domain.errors import InvalidInputError, NotFoundError, UnavailableError
from bakeoff.domain.evaluation import Download, Stage
from bakeoff.domain.work import PrepareTask, Task
from bakeoff.preparation.download import Downloads
from bakeoff.preparation.handlers import prepare_handler
from bakeoff.preparation.source_files import open_resource
from bakeoff.preparation.workspace import LocalWorkspace
from bakeoff.runtime.settings import Settings
from tests.builders.benchmark import a_benchmark
from tests.builders.items import PlainItemContext

DATA = bytes(range(256)) * 4096  # 1 MiB
HALF = len(DATA) // 2


@dataclass
class Site:
    """What the server does, and what it was asked."""

    port: int = 0
    data: bytes = DATA
    etag: str = '"v1"'
    status: int = 0
    """Answer with this status; 0 answers well."""
    break_off: int = 0
    """How many answers end half way."""
    says_length: bool = True
    wrong_range: bool = False
    """Send another part than was asked for."""
    ranges: list[str | None] = field(default_factory=list)

    def url(self, path: str = "/data.zip") -> str:
        return f"http://127.0.0.1:{self.port}{path}"

    def resource(self, sha256: str | None = None, size_bytes: int | None = None) -> BenchmarkResource:
        return BenchmarkResource("data", self.url(), sha256=sha256, size_bytes=size_bytes)


@pytest.fixture
def site() -> Iterator[Site]:
    site = Site()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:  # named by the library
            asked = self.headers.get("Range")
            site.ranges.append(asked)
            if site.status or self.path.startswith("/to/"):
                self.send_response(site.status or 302)
                if self.path.startswith("/to/"):
                    self.send_header("Location", self.path.removeprefix("/to/"))
                self.send_header("Content-Length", "0")
                self.end_headers()
                return
            resumes = asked is not None and self.headers.get("If-Range") == site.etag
            start = int(asked.removeprefix("bytes=").rstrip("-")) if resumes and asked else 0
            start += 10 if resumes and site.wrong_range else 0
            if start >= len(site.data):
                self.send_response(416)
                self.send_header("Content-Range", f"bytes */{len(site.data)}")
                self.send_header("Content-Length", "0")
                self.end_headers()
                return
            self.send_response(206 if resumes else 200)
            if resumes:
                self.send_header("Content-Range", f"bytes {start}-{len(site.data) - 1}/{len(site.data)}")
            if site.etag:
                self.send_header("ETag", site.etag)
            if site.says_length:
                self.send_header("Content-Length", str(len(site.data) - start))
            self.end_headers()
            stop = HALF if site.break_off else len(site.data)
            site.break_off = max(0, site.break_off - 1)
            self.wfile.write(site.data[start:stop])
            self.close_connection = True

        def log_message(self, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    site.port = server.server_port
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield site
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture
def downloads(tmp_path: Path) -> Downloads:
    return Downloads(tmp_path / "cache", allow_private=True)


def test_a_file_is_fetched_once(site: Site, downloads: Downloads) -> None:
    assert downloads.fetch(site.resource()).read_bytes() == DATA
    assert downloads.fetch(site.resource()).read_bytes() == DATA
    assert site.ranges == [None]


def test_a_transfer_that_breaks_off_goes_on_where_it_ended(site: Site, downloads: Downloads) -> None:
    site.break_off = 1
    assert downloads.fetch(site.resource()).read_bytes() == DATA
    assert site.ranges == [None, f"bytes={HALF}-"]


def test_what_one_call_left_the_next_goes_on_with(site: Site, downloads: Downloads) -> None:
    site.break_off = 3
    with pytest.raises(UnavailableError, match="broke off"):
        downloads.fetch(site.resource())
    site.ranges.clear()
    assert downloads.fetch(site.resource()).read_bytes() == DATA
    assert site.ranges == [f"bytes={HALF}-"]


def test_a_file_that_has_changed_is_fetched_from_the_start(site: Site, downloads: Downloads) -> None:
    site.break_off = 3
    with pytest.raises(UnavailableError):
        downloads.fetch(site.resource())
    site.data, site.etag = b"new" * 1000, '"v2"'
    assert downloads.fetch(site.resource()).read_bytes() == b"new" * 1000


@pytest.mark.parametrize("etag", ["", 'W/"v1"'])
def test_without_a_strong_name_of_the_version_nothing_is_resumed(site: Site, downloads: Downloads, etag: str) -> None:
    site.break_off, site.etag = 1, etag
    assert downloads.fetch(site.resource()).read_bytes() == DATA
    assert site.ranges == [None, None]


def test_a_part_that_was_not_asked_for_is_not_taken(site: Site, downloads: Downloads) -> None:
    site.break_off, site.wrong_range = 1, True
    assert downloads.fetch(site.resource()).read_bytes() == DATA
    assert site.ranges == [None, f"bytes={HALF}-", None]


def test_a_part_that_is_whole_already_is_taken(site: Site, downloads: Downloads) -> None:
    place = downloads.folder / hashlib.sha256(site.url().encode()).hexdigest()
    place.mkdir(parents=True)
    (place / "part").write_bytes(DATA)
    (place / "validator").write_text(site.etag)
    assert downloads.fetch(site.resource()).read_bytes() == DATA
    assert site.ranges == [f"bytes={len(DATA)}-"]


def test_a_digest_is_checked_and_nothing_wrong_is_kept(site: Site, downloads: Downloads) -> None:
    right = hashlib.sha256(DATA).hexdigest()
    with pytest.raises(InvalidInputError, match=f"should have SHA-256 {'0' * 64}, but has {right}"):
        downloads.fetch(site.resource(sha256="0" * 64))
    assert [path.name for path in downloads.folder.rglob("*") if path.is_file()] == ["lock"]
    assert downloads.fetch(site.resource(sha256=right)).read_bytes() == DATA


def test_a_kept_file_that_is_damaged_is_fetched_again(site: Site, downloads: Downloads) -> None:
    resource = site.resource(sha256=hashlib.sha256(DATA).hexdigest())
    downloads.fetch(resource).write_bytes(b"damaged")
    assert downloads.fetch(resource).read_bytes() == DATA


def test_a_file_of_another_size_than_stated_is_refused(site: Site, downloads: Downloads) -> None:
    with pytest.raises(InvalidInputError, match="should have 2,000,000 bytes, but has 1,048,576"):
        downloads.fetch(site.resource(size_bytes=2_000_000))


@pytest.mark.parametrize("says_length", [True, False])
def test_more_than_is_allowed_is_refused_whether_told_beforehand_or_not(
    site: Site, tmp_path: Path, says_length: bool
) -> None:
    site.says_length = says_length
    with pytest.raises(InvalidInputError, match="at most 1,000 are taken"):
        Downloads(tmp_path, allow_private=True, max_bytes=1000).fetch(site.resource())


@pytest.mark.parametrize(
    ("path", "data", "words"),
    [
        ("/set.zip", b"<html>Please log in</html>", "is no zip or tar archive; it begins with '<html>Please log in"),
        ("/set.tar.gz", b"PK\x03\x04" + bytes(100), "is no zip or tar archive$"),
    ],
)
def test_what_is_no_archive_is_told_by_its_address_and_not_kept(
    site: Site, tmp_path: Path, path: str, data: bytes, words: str
) -> None:
    resource = BenchmarkResource("set", site.url(path), ResourceKind.ARCHIVE)
    workspace = LocalWorkspace(tmp_path / "scratch", Downloads(tmp_path / "cache", allow_private=True))
    site.data = data
    with pytest.raises(InvalidInputError, match=f"^'{site.url(path)}' {words}"):
        open_resource(workspace, resource)

    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("a.jsonl", "{}")
    site.data, site.etag = packed.getvalue(), '"v2"'
    assert (open_resource(workspace, resource).path / "a.jsonl").read_text() == "{}"


@pytest.mark.parametrize(
    ("status", "error"), [(404, NotFoundError), (410, NotFoundError), (403, InvalidInputError), (503, UnavailableError)]
)
def test_a_refusal_names_address_and_status(
    site: Site, downloads: Downloads, status: int, error: type[Exception]
) -> None:
    site.status = status
    with pytest.raises(error, match=rf"{site.url()}' answers with status {status}"):
        downloads.fetch(site.resource())


def test_a_server_that_is_not_there_is_unavailable(site: Site, downloads: Downloads) -> None:
    with pytest.raises(UnavailableError, match="does not answer"):
        downloads.fetch(BenchmarkResource("data", "http://127.0.0.1:9/data.zip"))


def test_redirects_are_followed(site: Site, downloads: Downloads) -> None:
    assert downloads.fetch(BenchmarkResource("data", site.url("/to//data.zip"))).read_bytes() == DATA


def test_redirects_in_a_circle_are_refused(site: Site, downloads: Downloads) -> None:
    with pytest.raises(InvalidInputError, match="redirects more than 5 times"):
        downloads.fetch(BenchmarkResource("data", site.url("/to/" * 20 + "/x")))


def test_a_redirect_to_another_kind_of_address_is_refused(site: Site, downloads: Downloads) -> None:
    with pytest.raises(InvalidInputError, match="'file:///etc/passwd' is no http or https address"):
        downloads.fetch(BenchmarkResource("data", site.url("/to/file:///etc/passwd")))


def test_private_addresses_are_not_asked_at_all(site: Site, tmp_path: Path) -> None:
    with pytest.raises(InvalidInputError, match=r"leads to 127\.0\.0\.1, which is no public address"):
        Downloads(tmp_path).fetch(site.resource())
    assert site.ranges == []


def test_a_name_that_resolves_to_a_private_address_only_when_connected_is_refused(
    site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bakeoff.preparation.web.check_host", lambda url: None)
    with pytest.raises(InvalidInputError, match=r"leads to 127\.0\.0\.1"):
        Downloads(tmp_path).fetch(site.resource())
    assert site.ranges == []


def test_who_follows_an_evaluation_is_told_of_its_download(site: Site, tmp_path: Path) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("set/corpus.jsonl", '{"_id": "d", "text": "a ferry"}')
        archive.writestr("set/queries.jsonl", '{"_id": "q", "text": "which ship?"}')
        archive.writestr("set/qrels/test.tsv", "query-id\tcorpus-id\tscore\nq\td\t1\n")
    site.data = packed.getvalue()
    context = PlainItemContext(tmp_path / "scratch")
    context.scratch.mkdir()
    choice = replace(a_benchmark(site.url("/set.zip?key=secret")), name="ferries")
    settings = Settings(cache_dir=tmp_path / "cache", allow_private_addresses=True)
    prepare_handler(settings).handle(Task("ev-1", "default", Stage.PREPARE, "b0", PrepareTask(choice)), context)
    assert context.told == [Download("ferries", site.url("/set.zip"), len(site.data), len(site.data))]


@pytest.mark.parametrize("says_length", [True, False])
def test_progress_is_told(site: Site, tmp_path: Path, says_length: bool) -> None:
    seen: list[tuple[str, int, int | None]] = []
    site.says_length = says_length
    downloads = Downloads(tmp_path, True, progress=lambda resource, *sizes: seen.append((resource.uri, *sizes)))
    downloads.fetch(site.resource())
    assert seen[0][2] == (len(DATA) if says_length else None)
    assert seen[-1] == (site.url(), len(DATA), len(DATA))


def test_two_at_once_fetch_it_once(site: Site, downloads: Downloads) -> None:
    threads = [threading.Thread(target=downloads.fetch, args=(site.resource(),)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert site.ranges == [None]


def test_what_came_from_a_private_network_is_no_more_to_be_had_when_that_is_forbidden(
    site: Site, downloads: Downloads
) -> None:
    downloads.fetch(site.resource())
    with pytest.raises(InvalidInputError, match="was downloaded from inside a private network"):
        Downloads(downloads.folder).fetch(site.resource())
    assert downloads.fetch(site.resource()).read_bytes() == DATA


@pytest.fixture
def mirror(tmp_path: Path) -> Path:
    """A mirror with one file of a server that does not exist."""
    copy = tmp_path / "mirror" / "data.example" / "sets" / "a b.zip"
    copy.parent.mkdir(parents=True)
    copy.write_bytes(DATA)
    return tmp_path / "mirror"


def test_a_copy_in_the_mirror_is_taken_without_asking_anybody(mirror: Path, tmp_path: Path) -> None:
    resource = BenchmarkResource("a", "https://data.example/sets/a%20b.zip?v=1", size_bytes=len(DATA))
    assert Downloads(tmp_path / "cache", mirror=mirror).fetch(resource).parent == mirror / "data.example" / "sets"


def test_a_copy_in_the_mirror_must_be_what_was_stated(mirror: Path, tmp_path: Path) -> None:
    resource = BenchmarkResource("a", "https://data.example/sets/a%20b.zip", sha256="0" * 64)
    with pytest.raises(InvalidInputError, match=r"the mirror's .*should have SHA-256 000"):
        Downloads(tmp_path / "cache", mirror=mirror).fetch(resource)


def test_an_address_cannot_lead_out_of_the_mirror(site: Site, mirror: Path, tmp_path: Path) -> None:
    (mirror / "secret").write_bytes(b"secret")
    resource = BenchmarkResource("a", site.url("/../secret"))
    assert Downloads(tmp_path / "cache", allow_private=True, mirror=mirror).fetch(resource).read_bytes() == DATA
