"""`bakeoff document`: the bytes of an original, which a passage leads back to."""

from __future__ import annotations

import argparse
import re
from pathlib import Path

from bakeoff.cli import output
from bakeoff.cli.arguments import Commands, add_command, add_server
from bakeoff.cli.exit_codes import ExitCode


def add(commands: Commands) -> None:
    """Add the command."""
    parser = add_command(
        commands,
        "document",
        run,
        "print the bytes of an original document",
        "A report names the original that each passage comes from by its key, raw/benchmarks/….",
    )
    parser.add_argument("key", metavar="KEY", help="key of the original")
    parser.add_argument(
        "--bytes",
        type=_span,
        default=(0, 0),
        metavar="START-STOP",
        help="only these bytes, from 0, without the last; for a document that is a part of its original",
    )
    parser.add_argument("--out", type=Path, metavar="FILE", help="write them to a file instead")
    add_server(parser)


def run(args: argparse.Namespace) -> ExitCode:
    """Fetch the bytes."""
    from bakeoff.cli.server import connected
    from bakeoff.client.whole_files import write_whole
    from bakeoff.runtime.settings import Settings

    with connected(args.server, args.dir, Settings.from_environment(), start=True) as client:
        pieces = client.original(args.key, *args.bytes)
        if args.out:
            output.result(str(write_whole(args.out, pieces)))
        else:
            output.raw(pieces)
    return ExitCode.SUCCESS


def _span(text: str) -> tuple[int, int]:
    """Read the first byte and how many there are, for argparse."""
    found = re.fullmatch(r"(\d+)[-–](\d+)", text)  # pages write the longer dash
    start, stop = (int(each) for each in found.groups()) if found else (0, 0)
    if stop <= start:
        raise argparse.ArgumentTypeError(f"must be START-STOP with STOP above START, not {text!r}")
    return start, stop - start
