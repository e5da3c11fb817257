"""`bakeoff report`: look at a report, or take a file of it out."""

from __future__ import annotations

import argparse
import webbrowser
from pathlib import Path

from bakeoff.cli import output
from bakeoff.cli.arguments import Commands, add_command, add_server
from bakeoff.cli.exit_codes import ExitCode
from bakeoff.domain.errors import InvalidInputError, NotFoundError

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
    path = Path(args.report)
    if path.exists():
        return _local_file(path, format_name)
    if path.suffix or len(path.parts) > 1:
        raise NotFoundError(f"there is no report at {str(path)!r}")
    from bakeoff.cli.server import connected
    from bakeoff.runtime.settings import Settings

    with connected(args.server, args.dir, Settings.from_environment(), start=True) as client:
        return client.save_report(args.report, args.dir / "reports" / args.report, [format_name])[0]


def _local_file(path: Path, format_name: str) -> Path:
    from bakeoff.client.report_calls import FILES

    if path.suffix in (".yaml", ".yml"):
        path = _folder_of(path)
    elif path.is_file() and format_name == "json":
        return path
    file = (path if path.is_dir() else path.parent) / FILES[format_name]
    if not file.exists():
        raise NotFoundError(f"there is no file {str(file)!r}")
    return file


def _folder_of(file: Path) -> Path:
    """Return where `bakeoff run` writes the report of an evaluation file."""
    from bakeoff.cli.evaluation_file import read_text
    from bakeoff.cli.report_files import default_folder
    from bakeoff.cli.yaml_values import parse

    value, faults = parse(read_text(file), str(file))
    name = value.data.get("name") if value is not None and isinstance(value.data, dict) else None
    if faults or name is None or not isinstance(name.data, str):
        raise InvalidInputError(f"{file} is no evaluation file with a name", faults)
    folder = default_folder(name.data)
    if not folder.is_dir():
        raise NotFoundError(f"there is no report {str(folder)!r} yet; run `bakeoff run {file}`")
    return folder
