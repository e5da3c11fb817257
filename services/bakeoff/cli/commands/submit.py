"""`bakeoff submit`: ask a running platform for an evaluation."""

from __future__ import annotations

import argparse
from pathlib import Path

from bakeoff.cli import output
from bakeoff.cli.arguments import Commands, add_command, add_fresh, add_json, add_server, add_strict
from bakeoff.cli.exit_codes import ExitCode


def add(commands: Commands) -> None:
    """Add the command."""
    parser = add_command(
        commands,
        "submit",
        run,
        "submit an evaluation to a running platform",
        "Prints the evaluation's id. Submitting the same file again gives the same evaluation.",
    )
    parser.add_argument("file", type=Path, metavar="FILE", help="evaluation file (YAML)")
    parser.add_argument("--wait", action="store_true", help="follow it to its end and fetch the report")
    parser.add_argument(
        "--out", type=Path, metavar="DIR", help="with --wait: folder of the report (default: reports/NAME)"
    )
    parser.add_argument(
        "--remote-data",
        action="store_true",
        help="the paths in the file are those of the platform's machine: do not look for them here",
    )
    add_fresh(parser)
    add_strict(parser)
    add_server(parser)
    add_json(parser)


def run(args: argparse.Namespace) -> ExitCode:
    """Check the file, submit it, and perhaps follow it."""
    from bakeoff.cli.finishing import finish
    from bakeoff.cli.following import follow
    from bakeoff.cli.idempotency import with_key
    from bakeoff.cli.progress import make_progress
    from bakeoff.cli.report_files import check_writable, default_folder
    from bakeoff.cli.requests import read_request
    from bakeoff.cli.server import connected
    from bakeoff.runtime.settings import Settings

    settings = Settings.from_environment()
    read = read_request(args.file, settings, look=not args.remote_data)
    request = with_key(read.request, read.cards, settings, fresh=args.fresh)
    folder = args.out or default_folder(request.name)
    if args.wait:
        check_writable(folder)
    with connected(args.server, args.dir, settings) as client:
        status, created = client.submit(request)
        if args.json:
            output.json_line("submitted", evaluation_id=status.evaluation_id, state=status.state, created=created)
        else:
            output.result(status.evaluation_id)
        if not args.wait:
            return ExitCode.SUCCESS
        ended = follow(client, status.evaluation_id, make_progress(as_json=args.json))
        return finish(client, ended, folder, as_json=args.json, strict=args.strict)
