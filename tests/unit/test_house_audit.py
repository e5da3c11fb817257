"""The audit of the locks: passes as they are, tells each kind of fault, and says when nobody could be asked."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from requirements import audit

ROOT = Path(__file__).resolve().parents[2]
HASH = "--hash=sha256:" + "0" * 64
NOBODY = "http://127.0.0.1:1"


@contextmanager
def a_service(known: dict[str, list[str]], status: int = 200) -> Iterator[tuple[str, list[object]]]:
    """Serve OSV's interface: ids of vulnerabilities by `name version`. Gives its address and what it was asked."""
    asked: list[object] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            asked.append(self.path)
            names = [f"{each['package']['name']} {each['version']}" for each in body["queries"]]
            found = [{"vulns": [{"id": each} for each in known[name]]} if name in known else {} for name in names]
            data = json.dumps({"results": found}).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", asked
    finally:
        server.shutdown()
        server.server_close()


def a_lock(folder: Path, *lines: str) -> Path:
    lock = folder / "some.lock"
    lock.write_text("# made by hand\n" + "\n".join(lines) + "\n")
    return lock


def test_every_lock_passes_and_no_lock_is_left_out(capsys: pytest.CaptureFixture[str]) -> None:
    assert audit.main(["--service", NOBODY]) == 0
    locks = len(list((ROOT / "requirements").glob("*.lock")))
    assert f"in {locks} locks" in capsys.readouterr().out


def test_where_no_service_answers_that_is_said_plainly(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    lock = a_lock(tmp_path, "pytest==1.0 \\", f"    {HASH}")
    with a_service({}, status=500) as (broken, _):
        for service in (NOBODY, broken):
            assert audit.main(["--service", service, str(lock)]) == 0
            assert f"NOT LOOKED UP, {service} does not answer" in capsys.readouterr().out


def test_a_known_vulnerability_fails_it_and_is_named(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lock = a_lock(tmp_path, "pytest==1.0 ; python_full_version >= '3.11' \\", f"    {HASH} \\", f"    {HASH}")
    with a_service({"pytest 1.0": ["GHSA-xxxx", "PYSEC-1"]}) as (service, asked):
        assert audit.main(["--service", service, str(lock)]) == 1
        assert asked == ["/v1/querybatch"]
        told = capsys.readouterr().err
        assert "known vulnerability: pytest 1.0: GHSA-xxxx\n" in told
        assert "known vulnerability: pytest 1.0: PYSEC-1\n" in told
        monkeypatch.setattr(audit, "ACCEPTED", dict.fromkeys(["GHSA-xxxx", "PYSEC-1"], "tests only"))
        assert audit.main(["--service", service, str(lock)]) == 0


def test_a_pin_without_a_hash_fails_it(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    lock = a_lock(tmp_path, "pytest==1.0", "ruff==2.0 \\", f"    {HASH}")
    assert audit.main(["--service", NOBODY, str(lock)]) == 1
    assert "some.lock: pytest 1.0 has no hash" in capsys.readouterr().err


@pytest.mark.parametrize("line", ["pytest>=1", "-e .", "git+https://a.example/x", "    --hash=md5:00"])
def test_a_line_that_is_no_pin_fails_it(capsys: pytest.CaptureFixture[str], tmp_path: Path, line: str) -> None:
    assert audit.main(["--service", NOBODY, str(a_lock(tmp_path, line))]) == 1
    assert "some.lock, line 2:" in capsys.readouterr().err


def test_a_distribution_whose_licence_nobody_knows_fails_it(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    lock = a_lock(tmp_path, "no-such-distribution==1.0 \\", f"    {HASH}")
    assert audit.main(["--service", NOBODY, str(lock)]) == 1
    assert "no-such-distribution: its licence is not known" in capsys.readouterr().err


@pytest.mark.parametrize(
    "text",
    [
        "MIT",
        "Apache License, Version 2.0",
        "MIT OR Apache-2.0",
        "GPL-3.0-only OR MIT",
        "BSD-2-Clause AND Unlicense AND MIT",
        "MIT, BSD",
        "MIT AND (Apache-2.0 OR GPL-2.0-only)",
    ],
)
def test_a_licence_that_is_allowed_passes(text: str) -> None:
    assert audit.is_allowed(text)


@pytest.mark.parametrize(
    "text",
    [
        "GPL-3.0-or-later",
        "LGPL-2.1",
        "AGPL-3.0",
        "MIT AND GPL-2.0-only",
        "CC-BY-NC-4.0",
        "GPL-2.0-only AND (MIT OR Apache-2.0)",
        "MIT (sort of)",
        "(",
        "Proprietary",
        "UNKNOWN",
        "",
    ],
)
def test_any_other_does_not(text: str) -> None:
    assert not audit.is_allowed(text)
