"""`bakeoff doctor`: is everything there, reachable and configured; and what does an evaluation wait for."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from bakeoff.cli import output
from bakeoff.cli.arguments import Commands, add_command, add_json, add_server
from bakeoff.cli.exit_codes import ExitCode

if TYPE_CHECKING:
    from bakeoff.cli.checkup import Finding
    from bakeoff.runtime.settings import Settings

LOOPBACK = "127.0.0.1"


def add(commands: Commands) -> None:
    """Add the command."""
    parser = add_command(
        commands,
        "doctor",
        run,
        "check that everything is installed, reachable and configured",
        "Looks at what `run` needs on this machine, and at a platform (bus, object store, services) when a BAKEOFF_* "
        "variable or an option names one. With the id of an evaluation: says what it waits for, and why it is stuck.",
    )
    parser.add_argument("evaluation_id", metavar="EVALUATION", nargs="?", help="id of an evaluation to look at")
    parser.add_argument("--only", choices=["embedded", "platform"], help="look at one of the two")
    parser.add_argument(
        "--host", default=LOOPBACK, help=f"where the services run, each on its own port (default: {LOOPBACK})"
    )
    add_server(parser)
    add_json(parser)


def run(args: argparse.Namespace) -> ExitCode:
    """Check one thing after the other and say what to do about each that is wrong."""
    from bakeoff.cli import checkup
    from bakeoff.runtime.settings import Settings

    settings = Settings.from_environment()
    if args.evaluation_id:
        return _evaluation(args, settings)
    well = True
    if args.only != "platform":
        well = _tell("for `bakeoff run`", checkup.embedded(args.dir, settings), as_json=args.json)
    server = args.server or settings.server
    own = checkup.names_servers(settings)
    if args.only == "platform" or (args.only is None and (own or server or args.host != LOOPBACK)):
        # Who only names a platform has no way to its bus and its object store, and needs none.
        findings = checkup.servers(settings) if own or not server else []
        findings += checkup.services(settings, args.host, server)
        well = _tell("for a platform of services", findings, as_json=args.json) and well
    elif args.only is None:
        output.note("no platform is named, and none is looked at; --only platform looks at the usual ports")
    return ExitCode.SUCCESS if well else ExitCode.FAILED


def _evaluation(args: argparse.Namespace, settings: Settings) -> ExitCode:
    from bakeoff.cli.checkup import Finding
    from bakeoff.cli.server import connected

    with connected(args.server, args.dir, settings, start=True) as client:
        _, found = client.diagnose(args.evaluation_id)
    findings = [Finding(each.name, each.ok, each.detail, each.advice) for each in found]
    well = _tell(f"evaluation {args.evaluation_id}", findings, as_json=args.json)
    return ExitCode.SUCCESS if well else ExitCode.FAILED


def _tell(title: str, findings: list[Finding], *, as_json: bool) -> bool:
    """Print findings, and return whether all is well."""
    if not as_json:
        output.result(title)
    for finding in findings:
        if as_json:
            output.json_line("check", name=finding.name, ok=finding.ok, detail=finding.detail, advice=finding.advice)
            continue
        output.result(f"  {'ok   ' if finding.ok else 'WRONG'}  {finding.name}: {finding.detail}")
        if not finding.ok:
            output.result(f"         → {finding.advice}")
    return all(finding.ok for finding in findings)
