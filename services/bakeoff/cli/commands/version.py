"""`bakeoff version`: which Bakeoff this is."""

from __future__ import annotations

import argparse

from bakeoff import __version__
from bakeoff.cli import output
from bakeoff.cli.arguments import Commands, add_command
from bakeoff.cli.exit_codes import ExitCode


def add(commands: Commands) -> None:
    """Add the command."""
    add_command(commands, "version", run, "print the version")


def run(args: argparse.Namespace) -> ExitCode:
    """Print the version."""
    output.result(f"bakeoff {__version__}")
    return ExitCode.SUCCESS
