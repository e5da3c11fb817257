"""The `bakeoff` command: finds the sub-command, runs it, and turns errors into words and exit codes."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from bakeoff import __version__
from bakeoff.cli import output
from bakeoff.cli.commands import COMMANDS
from bakeoff.cli.exit_codes import MEANINGS, ExitCode, exit_code_of
from bakeoff.domain.errors import BakeoffError


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command.

    Args:
        argv: Arguments after the command's name; None takes the process's own.

    Returns:
        The exit code; see `ExitCode`.
    """
    try:
        args = make_parser().parse_args(argv)
    except SystemExit as stop:  # argparse has said why
        return int(stop.code or 0)
    try:
        return int(args.run(args))
    except BakeoffError as error:
        output.error(error, as_json=getattr(args, "json", False))
        return int(exit_code_of(error))
    except KeyboardInterrupt:
        output.note("interrupted")
        return int(ExitCode.INTERRUPTED)
    except BrokenPipeError:  # whoever read our output has seen enough
        sys.stderr.close()
        return int(ExitCode.SUCCESS)


def make_parser() -> argparse.ArgumentParser:
    """Return the parser of the whole command line."""
    codes = "\n".join(f"  {code.value:<4} {meaning}" for code, meaning in MEANINGS.items())
    parser = argparse.ArgumentParser(
        prog="bakeoff",
        description="Bake-offs between knowledge recipes: which is better, by how much, how sure, at what cost.",
        epilog=f"exit codes:\n{codes}\n\n`bakeoff COMMAND --help` says more about a command.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"bakeoff {__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for module in COMMANDS:
        module.add(commands)
    return parser
