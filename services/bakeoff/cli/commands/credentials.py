"""`bakeoff credentials`: make the secrets of a platform once, each in a file of its own."""

from __future__ import annotations

import argparse
from pathlib import Path

from bakeoff.cli import output
from bakeoff.cli.arguments import Commands, add_command
from bakeoff.cli.exit_codes import ExitCode


def add(commands: Commands) -> None:
    """Add the command."""
    parser = add_command(
        commands,
        "credentials",
        run,
        "make the secrets of a new platform",
        "Random, each in a file that services, the bus and the object store read. What is there already stays.",
    )
    parser.add_argument("folder", type=Path, metavar="DIR", help="folder of the files; made when it is not there")
    parser.add_argument(
        "--bus-user",
        action="append",
        default=[],
        metavar="NAME=TENANT",
        help="a user of the bus who asks for evaluations of a tenant from outside, and does nothing else; may be "
        "repeated; the password is in nats_outsiders.json",
    )


def run(args: argparse.Namespace) -> ExitCode:
    """Make what is missing, and say what it was."""
    from bakeoff.domain.errors import InvalidInputError
    from bakeoff.runtime.credentials import make_credentials

    named = {name: tenant for name, _, tenant in (each.partition("=") for each in args.bus_user)}
    wrong = [each for each in args.bus_user if not all(each.partition("="))]
    if wrong:
        raise InvalidInputError(f"--bus-user must be NAME=TENANT, not {wrong[0]!r}")
    made = make_credentials(args.folder, named)
    output.result(
        f"made {', '.join(made)} in {args.folder}" if made else f"all credentials are in {args.folder} already"
    )
    return ExitCode.SUCCESS
