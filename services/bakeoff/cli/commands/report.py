"""`bakeoff report`: look at a report, or take a file of it out."""

from __future__ import annotations

import argparse
import webbrowser
from pathlib import Path

from bakeoff.cli import output
from bakeoff.cli.arguments import Commands, add_command, add_server
from bakeoff.cli.exit_codes import ExitCode
from bakeoff.domain.errors import InvalidInputError

FORMATS = ["trec", "csv", "parquet", "html", "json", "agbenchmark"]


def add(commands: Commands) -> None:
    """Add the command."""
    parser = add_command(
        commands,
        "report",
        run,
        "print, open or export a report",
        "Without an option it prints the report as text.",
    )
    parser.add_argument(
        "report", metavar="ID|FILE|DIR", help="an evaluation's id, a report.json, its folder, or the evaluation file"
    )
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--print", action="store_true", help="print it as text (default)")
    what.add_argument("--open", action="store_true", help="open the page in a browser")
    what.add_argument("--export", choices=FORMATS, help="write a file of the report")
    parser.add_argument("--out", type=Path, metavar="PATH", help="with --export: file or folder to write to")
    add_server(parser)


def run(args: argparse.Namespace) -> ExitCode:
    """Do what is asked with the report."""
    if args.out and not args.export:
        raise InvalidInputError("--out needs --export: it says where the exported file goes")
    if args.export:
        output.result(str(_export(_file(args, args.export), args.out)))
    elif args.open:
        page = _file(args, "html").resolve()
        webbrowser.open(page.as_uri())
        output.result(str(page))
    else:
        from bakeoff.cli.report_files import read_report
        from bakeoff.reporting.text import render_text

        output.result(render_text(read_report(_file(args, "json"))).rstrip("\n"))
    return ExitCode.SUCCESS


def _export(file: Path, out: Path | None) -> Path:
    """Write a file of a report where it is wanted: a folder keeps its name; None is the working folder."""
    from bakeoff.client.whole_files import write_whole

    target = out or Path()
    return write_whole(target / file.name if target.is_dir() else target, iter([file.read_bytes()]))


def _file(args: argparse.Namespace, format_name: str) -> Path:
    """Return a local file of the report, fetched if need be."""
    from bakeoff.cli.found_reports import report_files

    return report_files(args.report, [format_name], server=args.server, folder=args.dir)[0]
