"""`bakeoff run`: an evaluation from file to report with nothing but this machine."""

from __future__ import annotations

import argparse
import signal
from pathlib import Path
from types import FrameType

from bakeoff.cli import output
from bakeoff.cli.arguments import Commands, add_command, add_folder, add_fresh, add_json, add_strict
from bakeoff.cli.exit_codes import ExitCode


def add(commands: Commands) -> None:
    """Add the command."""
    parser = add_command(
        commands,
        "run",
        run,
        "run an evaluation on this machine and write its report",
        "Starts all services in one process, with a message server and an object store of its own. Running the same "
        "file again resumes: work that is done is not done again.",
    )
    parser.add_argument("file", type=Path, metavar="FILE", help="evaluation file (YAML)")
    parser.add_argument("--out", type=Path, metavar="DIR", help="folder of the report (default: reports/NAME)")
    parser.add_argument("--open", action="store_true", help="open the report in a browser")
    add_fresh(parser)
    add_strict(parser)
    add_folder(parser)
    add_json(parser)


def run(args: argparse.Namespace) -> ExitCode:
    """Check the file, start the platform, run the evaluation, and bring the report home."""
    signal.signal(signal.SIGTERM, _interrupt)
    try:
        return _run(args)
    except KeyboardInterrupt:
        output.note("\ninterrupted; what is done is kept: run the same command again to resume")
        return ExitCode.INTERRUPTED


def _run(args: argparse.Namespace) -> ExitCode:
    from bakeoff.cli.finishing import finish
    from bakeoff.cli.following import follow
    from bakeoff.cli.idempotency import with_key
    from bakeoff.cli.progress import make_progress
    from bakeoff.cli.report_files import check_writable, default_folder
    from bakeoff.cli.requests import read_request
    from bakeoff.cli.server import embedded
    from bakeoff.cli.work_done import work_done
    from bakeoff.runtime.settings import Settings

    settings = Settings.from_environment()
    read = read_request(args.file, settings, ask=True)
    request = with_key(read.request, read.cards, settings, fresh=args.fresh)
    folder = args.out or default_folder(request.name)
    check_writable(folder)
    with embedded(args.dir, settings) as (platform, client):
        status, created = client.submit(request)
        if not created and not args.json:
            output.note(
                f"this evaluation is known as {status.evaluation_id} ({status.state.value}); --fresh makes a new one"
            )
        ended = follow(client, status.evaluation_id, make_progress(as_json=args.json))
        work = work_done(ended, platform.counts())
        return finish(client, ended, folder, as_json=args.json, strict=args.strict, show=args.open, work=work)


def _interrupt(number: int, frame: FrameType | None) -> None:
    """Make SIGTERM end like Ctrl-C, so that the platform's children are stopped."""
    raise KeyboardInterrupt
