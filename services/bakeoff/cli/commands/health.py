"""`bakeoff health`: ask a service whether it serves; what a container's health check runs."""

from __future__ import annotations

import argparse

from bakeoff.cli import output
from bakeoff.cli.arguments import Commands, add_command
from bakeoff.cli.exit_codes import ExitCode

ANSWER_S = 4.0


def add(commands: Commands) -> None:
    """Add the command."""
    parser = add_command(
        commands,
        "health",
        run,
        "ask a service whether it serves",
        "Exit code 0 when it does, 4 when it does not answer or cannot take work now.",
    )
    parser.add_argument("address", metavar="HOST:PORT", help="address of the service's gRPC server")


def run(args: argparse.Namespace) -> ExitCode:
    """Ask the standard health service once."""
    import grpc
    from grpc_health.v1 import health_pb2, health_pb2_grpc

    from bakeoff.runtime.channels import open_channel
    from bakeoff.runtime.settings import Settings

    settings = Settings.from_environment()
    with open_channel(args.address, settings) as channel:
        stub = health_pb2_grpc.HealthStub(channel)
        try:
            status = stub.Check(health_pb2.HealthCheckRequest(), timeout=ANSWER_S).status
        except grpc.RpcError as error:
            output.note(f"{args.address} does not answer: {error.code().name}")
            return ExitCode.UNREACHABLE
    name = health_pb2.HealthCheckResponse.ServingStatus.Name(status)
    output.result(name.lower().replace("_", " "))
    return ExitCode.SUCCESS if status == health_pb2.HealthCheckResponse.SERVING else ExitCode.UNREACHABLE
