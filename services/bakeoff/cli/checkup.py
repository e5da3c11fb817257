"""Checks of an installation and of a platform, each of which says what to do when it fails."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import grpc
from grpc_health.v1 import health_pb2, health_pb2_grpc

from bakeoff.cli.local_components import local_cards
from bakeoff.cli.report_files import check_writable
from bakeoff.contract.rpc_services import ANSWERED_BY
from bakeoff.domain.errors import (
    BakeoffError,
    ForbiddenError,
    InvalidInputError,
    OutOfReachError,
    UnauthenticatedError,
)
from bakeoff.embedded import SERVICES
from bakeoff.runtime import nats_server, s3_server
from bakeoff.runtime.channels import open_channel
from bakeoff.runtime.connect import connect_bus, connect_objects
from bakeoff.runtime.rpc import error_of
from bakeoff.runtime.settings import PORTS, Settings, unknown_variables

ANSWER_S = 2.0  # on one machine or in one network, an answer takes milliseconds


@dataclass(frozen=True, slots=True)
class Finding:
    """What one check found."""

    name: str
    ok: bool
    detail: str
    """What is there, or what is wrong."""
    advice: str = ""
    """What to do when it is wrong."""


def embedded(directory: Path, settings: Settings) -> list[Finding]:
    """Check what `bakeoff run` needs on this machine.

    Args:
        directory: Folder of the embedded platform.
        settings: Name the plug-ins.
    """
    reinstall = "install the package again: pip install --force-reinstall bakeoff"
    return [
        _check("message server", lambda: str(nats_server.find_program()), reinstall),
        _check("object store server", lambda: str(s3_server.find_program()), reinstall),
        _check("folder", lambda: _writable(directory), "name another folder with --dir"),
        _check("settings", _settings, "correct the name, or unset the variable"),
        _check(
            "components", lambda: f"{len(local_cards(settings))} are installed", "see BAKEOFF_PLUGINS and the plug-ins"
        ),
    ]


def names_servers(settings: Settings) -> bool:
    """Return whether the settings say where the bus or the object store is, as those of services do."""
    usual = Settings()
    return (settings.nats_url, settings.s3_endpoint) != (usual.nats_url, usual.s3_endpoint)


def servers(settings: Settings) -> list[Finding]:
    """Check the bus and the object store that the settings name."""
    return [
        _check("bus", lambda: _bus(settings), "start NATS, or set BAKEOFF_NATS_URL and BAKEOFF_NATS_TOKEN"),
        _check(
            "object store",
            lambda: _objects(settings),
            "start it, or set BAKEOFF_S3_ENDPOINT, BAKEOFF_S3_ACCESS_KEY, BAKEOFF_S3_SECRET_KEY and BAKEOFF_S3_BUCKET",
        ),
    ]


def services(settings: Settings, host: str, server: str) -> list[Finding]:
    """Check whether each service is ready, or else whether the control service reaches it.

    Args:
        settings: Addresses.
        host: Where services run whose address is not set.
        server: host:port of the control service; empty means its own port on the host.
    """
    unset = Settings().addresses
    addresses = {name: f"{host}:{PORTS[name]}" for name in SERVICES}
    addresses.update({name: where for name, where in settings.addresses.items() if where != unset[name]})
    control = addresses["control"] = server or addresses["control"]
    return [
        _check(f"service {name}", partial(_service, name, address, control, settings), _service_advice(name))
        for name, address in addresses.items()
    ]


def _check(name: str, look: Callable[[], str], advice: str) -> Finding:
    try:
        return Finding(name, True, look())
    except BakeoffError as error:
        return Finding(name, False, str(error), advice)


def _writable(directory: Path) -> str:
    check_writable(directory)
    return f"{directory} can be written"


def _settings() -> str:
    unknown = unknown_variables()
    if unknown:
        raise InvalidInputError(f"there are no settings {', '.join(unknown)}; they are ignored")
    return "every BAKEOFF_* variable is known"


def _bus(settings: Settings) -> str:
    async def connect() -> None:
        bus = await connect_bus(settings, "doctor")
        await bus.close()

    asyncio.run(connect())
    return f"{settings.nats_url} answers"


def _objects(settings: Settings) -> str:
    connect_objects(settings).check()
    return f"{settings.s3_endpoint} answers; the bucket {settings.s3_bucket!r} can be written"


def _service(name: str, address: str, control: str, settings: Settings) -> str:
    try:
        return _health(address, settings)
    except OutOfReachError:
        if name == "control" or not _reaches(control, name, settings):
            raise
        return f"{control}, which passes calls on, reaches it"


def _reaches(control: str, name: str, settings: Settings) -> bool:
    """Ask for a method that no service has: only who answers knows that."""
    answered = next(full for full, service in ANSWERED_BY.items() if service == name)
    with open_channel(control, settings) as channel:
        reach: Any = channel.unary_unary(f"/{answered}/Reach")
        try:
            reach(b"", timeout=ANSWER_S)
        except grpc.RpcError as error:
            domain = error_of(error, control)
            if isinstance(domain, ForbiddenError | UnauthenticatedError):
                raise domain from error
            return error.code() is grpc.StatusCode.UNIMPLEMENTED
    return True


def _health(address: str, settings: Settings) -> str:
    with open_channel(address, settings) as channel:
        stub = health_pb2_grpc.HealthStub(channel)
        try:
            answer = stub.Check(health_pb2.HealthCheckRequest(), timeout=ANSWER_S)
        except grpc.RpcError as error:
            raise OutOfReachError(f"{address} does not answer ({error.code().name.lower()})") from error
    if answer.status != health_pb2.HealthCheckResponse.SERVING:
        raise OutOfReachError(f"{address} answers, but is not ready: it cannot reach the bus or the object store")
    return f"{address} is ready"


def _service_advice(name: str) -> str:
    where = "name it with --server or BAKEOFF_SERVER" if name == "control" else f"set BAKEOFF_{name.upper()}_ADDRESS"
    return f"start it with `bakeoff serve {name}`, or {where}"
