"""The image's health check, which speaks gRPC by hand, hears what a whole client would."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import grpc
import pytest
from grpc_health.v1 import health, health_pb2, health_pb2_grpc

from bakeoff.runtime.ports import free_ports
from tests.conftest import ROOT

Status = health_pb2.HealthCheckResponse
Served = tuple[health.HealthServicer, int]


@pytest.fixture
def served() -> Iterator[Served]:
    servicer = health.HealthServicer()
    server = grpc.server(ThreadPoolExecutor(1))
    health_pb2_grpc.add_HealthServicer_to_server(servicer, server)
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    yield servicer, port
    server.stop(0)


def checked(port: int) -> int:
    environment = {**os.environ, "BAKEOFF_LISTEN": f"0.0.0.0:{port}"}
    command = [sys.executable, "-IS", ROOT / "deploy/healthy.py"]
    return subprocess.run(command, env=environment, capture_output=True, check=False, timeout=30).returncode


def test_a_service_that_serves_is_healthy(served: Served) -> None:
    servicer, port = served
    servicer.set("", Status.SERVING)
    assert checked(port) == 0


def test_a_service_that_does_not_serve_is_not(served: Served) -> None:
    servicer, port = served
    servicer.set("", Status.NOT_SERVING)
    assert checked(port) == 1


def test_an_error_is_not_health() -> None:
    server = grpc.server(ThreadPoolExecutor(1))  # knows no health service
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    assert checked(port) == 1
    server.stop(0)


def test_nobody_there_is_not_health() -> None:
    assert checked(free_ports(1)[0]) == 1
