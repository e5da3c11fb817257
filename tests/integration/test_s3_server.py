"""The embedded object store survives what a laptop does to it, and never survives its parent."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import stat
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from bakeoff.domain.errors import BakeoffError, InvalidInputError, OutOfReachError
from bakeoff.domain.evaluation import ObjectRef
from bakeoff.runtime import s3_server
from bakeoff.runtime.s3_server import S3Server

STARTS_AND_WAITS = """
import sys, time
from pathlib import Path
from bakeoff.runtime.s3_server import S3Server
server = S3Server(Path(sys.argv[1])).start()
print(server.pid, flush=True)
time.sleep(60)
"""


def alive(pid: int) -> bool:
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, 0)
        return "Z" not in Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2][:3]
    return False


def until_gone(pid: int, seconds: float) -> bool:
    deadline = time.monotonic() + seconds
    while alive(pid) and time.monotonic() < deadline:
        time.sleep(0.02)
    return not alive(pid)


def test_what_was_acknowledged_survives_kill_9_in_the_midst_of_writing(tmp_path: Path) -> None:
    with S3Server(tmp_path) as server:
        store = server.connect()
        acknowledged: list[ObjectRef] = []
        stop = threading.Event()

        def write(thread: int) -> None:
            number = 0
            while not stop.is_set():
                number += 1
                with contextlib.suppress(OutOfReachError):
                    acknowledged.append(store.create(f"{thread}/{number}", os.urandom(3000)).ref)

        threads = [threading.Thread(target=write, args=(thread,)) for thread in range(4)]
        for thread in threads:
            thread.start()
        for _ in range(2):
            time.sleep(0.7)
            server.kill()
            server.start()
        time.sleep(0.3)
        stop.set()
        for thread in threads:
            thread.join()

        assert len(acknowledged) > 100
        for ref in acknowledged:
            store.read(ref)  # verifies the digest
        assert len(list(store.list(""))) >= len(acknowledged)


def test_a_new_run_finds_what_an_older_one_stored(tmp_path: Path) -> None:
    with S3Server(tmp_path) as older:
        ref = older.connect().create("k", b"kept").ref
    with S3Server(tmp_path) as newer:
        assert newer.secret_key != older.secret_key
        assert newer.connect().read(ref) == b"kept"


def test_it_comes_back_at_the_same_address_after_a_crash(tmp_path: Path) -> None:
    with S3Server(tmp_path) as server:
        store, endpoint = server.connect(), server.endpoint
        ref = store.create("k", b"kept").ref
        server.kill()
        with pytest.raises(OutOfReachError, match=endpoint):
            store.read(ref)

        server.start()

        assert server.endpoint == endpoint
        assert store.read(ref) == b"kept"


def test_taken_ports_of_an_older_run_are_replaced(tmp_path: Path) -> None:
    with S3Server(tmp_path) as older:
        ref = older.connect().create("k", b"kept").ref
        port = int(older.endpoint.rpartition(":")[2])
    with socket.socket() as squatter:
        squatter.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        squatter.bind(("127.0.0.1", port))
        squatter.listen()
        with S3Server(tmp_path) as newer:
            assert newer.endpoint != older.endpoint
            assert newer.connect().read(ref) == b"kept"


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells a child of its parent's death")
def test_it_dies_with_its_parent_whatever_kills_that(tmp_path: Path) -> None:
    parent = subprocess.Popen([sys.executable, "-c", STARTS_AND_WAITS, str(tmp_path)], stdout=subprocess.PIPE)
    assert parent.stdout is not None
    pid = int(parent.stdout.readline())
    assert alive(pid)

    parent.send_signal(signal.SIGKILL)
    parent.wait()

    assert until_gone(pid, 2)


def test_it_dies_when_its_parent_ends_without_stopping_it(tmp_path: Path) -> None:
    script = STARTS_AND_WAITS.replace("time.sleep(60)", "")
    ended = subprocess.run([sys.executable, "-c", script, str(tmp_path)], capture_output=True, check=True, timeout=30)

    assert until_gone(int(ended.stdout), 2)


def test_it_outlives_the_thread_that_started_it(tmp_path: Path) -> None:
    server = S3Server(tmp_path)
    thread = threading.Thread(target=server.start)
    thread.start()
    thread.join()
    try:
        time.sleep(0.3)
        assert server.running
        server.connect().check()
    finally:
        server.stop()


def test_it_stops_within_seconds_and_leaves_no_sockets(tmp_path: Path) -> None:
    server = S3Server(tmp_path).start()
    port = server.endpoint.rpartition(":")[2]
    start = time.monotonic()

    server.stop()

    assert time.monotonic() - start < 20
    assert not server.running
    assert list(Path("/tmp").glob(f"seaweedfs-*-{port}.sock")) == []


@pytest.mark.skipif(sys.platform != "linux", reason="reads the process's sockets from /proc")
def test_it_listens_on_the_loopback_address_alone(tmp_path: Path) -> None:
    with S3Server(tmp_path) as server:
        inodes = set()
        for link in Path(f"/proc/{server.pid}/fd").iterdir():
            with contextlib.suppress(OSError):
                inodes.add(str(link.readlink()).removeprefix("socket:[").removesuffix("]"))
        listening = []
        for table in ("tcp", "tcp6"):
            for line in Path(f"/proc/{server.pid}/net/{table}").read_text().splitlines()[1:]:
                fields = line.split()
                if fields[3] == "0A" and fields[9] in inodes:  # 0A is LISTEN
                    listening.append(fields[1].partition(":")[0])

        assert len(listening) >= 2
        assert set(listening) == {"0100007F"}  # 127.0.0.1


def test_its_data_is_for_its_owner_alone(tmp_path: Path) -> None:
    folder = tmp_path / "s3"
    with S3Server(folder):
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
        assert stat.S_IMODE((folder / "data").stat().st_mode) == 0o700
        assert stat.S_IMODE((folder / "weed.log").stat().st_mode) == 0o600


def test_variables_of_the_environment_do_not_reach_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("S3", "no")  # it would read each of them as one of its options, and end
    monkeypatch.setenv("DIR", "/nowhere")

    with S3Server(tmp_path) as server:
        server.connect().check()


def test_a_missing_program_says_what_to_do_instead(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(s3_server, "PROGRAM", "no-such-weed")

    with pytest.raises(InvalidInputError, match="BAKEOFF_S3_ENDPOINT"):
        S3Server(tmp_path).start()


def test_a_folder_in_use_by_another_run_is_an_error_with_the_log(tmp_path: Path) -> None:
    with S3Server(tmp_path), pytest.raises(BakeoffError, match="does not start"):
        S3Server(tmp_path).start()
