"""Arguments that several commands take."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Any

from bakeoff.cli.exit_codes import ExitCode

Commands = Any
"""What `add_subparsers` returns; argparse has no public name for it."""
Run = Callable[[argparse.Namespace], ExitCode]
EMBEDDED_FOLDER = Path(".bakeoff")


def add_command(commands: Commands, name: str, run: Run, summary: str, more: str = "") -> argparse.ArgumentParser:
    """Add a command.

    Args:
        commands: Where to.
        name: As it is typed.
        run: What it does.
        summary: One line for the list of commands.
        more: What else its own help says.
    """
    parser: argparse.ArgumentParser = commands.add_parser(
        name,
        help=summary,
        description=f"{summary[0].upper()}{summary[1:]}. {more}".strip(),
    )
    parser.set_defaults(run=run)
    return parser


def add_folder(parser: argparse.ArgumentParser) -> None:
    """Add `--dir`."""
    parser.add_argument(
        "--dir",
        type=Path,
        default=EMBEDDED_FOLDER,
        metavar="DIR",
        help="folder of the embedded platform: its data, its address while it runs (default: .bakeoff)",
    )


def add_server(parser: argparse.ArgumentParser) -> None:
    """Add `--server` and `--dir`."""
    parser.add_argument(
        "--server",
        default="",
        metavar="HOST:PORT",
        help="platform to talk to (default: BAKEOFF_SERVER, else the embedded one that runs in --dir)",
    )
    add_folder(parser)


def add_json(parser: argparse.ArgumentParser) -> None:
    """Add `--json`."""
    parser.add_argument("--json", action="store_true", help="print one JSON object a line, and nothing else")


def add_fresh(parser: argparse.ArgumentParser) -> None:
    """Add `--fresh`."""
    parser.add_argument(
        "--fresh",
        action="store_true",
        help="make a new evaluation even if the same one of the same data exists; finished work is still used again",
    )


def add_strict(parser: argparse.ArgumentParser) -> None:
    """Add `--strict`."""
    parser.add_argument("--strict", action="store_true", help="exit with 5 when some cases failed")


def at_least_one(text: str) -> int:
    """Read a whole number from 1, for argparse."""
    try:
        number = int(text)
    except ValueError:
        number = 0
    if number < 1:
        raise argparse.ArgumentTypeError(f"must be a whole number from 1, not {text!r}")
    return number
