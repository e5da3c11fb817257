from __future__ import annotations

import socket
import subprocess
import sys

import pytest

from bakeoff.domain.errors import OutOfReachError
from bakeoff.runtime import ports
from bakeoff.runtime.ports import LOOPBACK, PORTS, free_ports

ANOTHER = """
import sys
from bakeoff.domain.errors import OutOfReachError
from bakeoff.runtime import ports
ports.PORTS = [int(port) for port in sys.argv[1:]]
print(*ports.free_ports(1), flush=True)
sys.stdin.read()
"""
"""Asks for one of the ports that it is told, and stays until its input ends."""


def test_free_ports_are_different_and_can_be_listened_on() -> None:
    ports = free_ports(20)

    assert len(set(ports)) == 20
    assert all(port in PORTS for port in ports)


def test_a_port_is_given_once_and_never_one_that_the_system_may_give_to_somebody_else() -> None:
    given = [*free_ports(50), *free_ports(50)]

    assert len(set(given)) == 100
    with socket.socket() as somebody:
        somebody.bind((LOOPBACK, 0))
        assert somebody.getsockname()[1] not in PORTS


def test_a_port_that_somebody_listens_on_is_not_given(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket() as somebody:
        somebody.bind((LOOPBACK, 0))
        taken = somebody.getsockname()[1]
        monkeypatch.setattr(ports, "PORTS", range(taken, taken + 1))
        with pytest.raises(OutOfReachError, match=f"no 1 ports of {LOOPBACK} from {taken} to {taken} are free"):
            free_ports(1)


def test_a_port_that_another_process_was_given_is_not_given_until_that_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    # A hundred, so that one that something else holds decides nothing.
    candidates = free_ports(100)
    command = [sys.executable, "-c", ANOTHER, *map(str, candidates)]
    monkeypatch.setattr(ports, "_given", set())

    refused = subprocess.run(command, input="", capture_output=True, text=True, timeout=60, check=False)
    assert "OutOfReachError: no 1 ports" in refused.stderr

    free = [port for port in PORTS if port not in candidates][:100]
    with subprocess.Popen([*command[:3], *map(str, free)], stdin=-1, stdout=-1, text=True) as another:
        assert another.stdin
        assert another.stdout
        given = int(another.stdout.readline())
        assert given in free
        monkeypatch.setattr(ports, "PORTS", [given])
        with pytest.raises(OutOfReachError):
            free_ports(1)
        another.stdin.close()
        another.wait(60)
    assert free_ports(1) == [given]
