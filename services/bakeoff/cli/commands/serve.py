"""`bakeoff serve`: run one service, or all, against the bus and the object store of the settings."""

from __future__ import annotations

import argparse

from bakeoff.cli.arguments import Commands, add_command
from bakeoff.cli.exit_codes import ExitCode


def add(commands: Commands) -> None:
    """Add the command."""
    parser = add_command(
        commands,
        "serve",
        run,
        "run a service until it is stopped",
        "Where the bus and the object store are is said by BAKEOFF_* variables; see docs/guide/platform.md.",
    )
    parser.add_argument("services", nargs="+", metavar="SERVICE", help="names of services, or all")


def run(args: argparse.Namespace) -> ExitCode:
    """Serve until SIGTERM or Ctrl-C."""
    from bakeoff.embedded import find_services
    from bakeoff.runtime.lifecycle import serve
    from bakeoff.runtime.settings import Settings

    settings = Settings.from_environment()
    return ExitCode(serve(find_services(list(dict.fromkeys(args.services))), settings))
