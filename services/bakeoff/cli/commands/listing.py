"""`bakeoff list`: the evaluations of a platform."""

from __future__ import annotations

import argparse

from bakeoff.cli import output
from bakeoff.cli.arguments import Commands, add_command, add_json, add_server
from bakeoff.cli.exit_codes import ExitCode


def add(commands: Commands) -> None:
    """Add the command."""
    parser = add_command(commands, "list", run, "list evaluations, newest first")
    parser.add_argument("--tenant", default="", help="only those of a tenant")
    add_server(parser)
    add_json(parser)


def run(args: argparse.Namespace) -> ExitCode:
    """Print the evaluations."""
    from bakeoff.cli.progress import status_facts
    from bakeoff.cli.server import connected
    from bakeoff.runtime.settings import Settings

    with connected(args.server, args.dir, Settings.from_environment(), start=True) as client:
        found = list(client.evaluations(args.tenant))
    if args.json:
        for status in found:
            output.json_line("evaluation", **status_facts(status))
        return ExitCode.SUCCESS
    if not found:
        output.note("there are no evaluations")
        return ExitCode.SUCCESS
    rows = [[one.evaluation_id, one.state.value, one.submitted_at[:19], one.name] for one in found]
    output.result(output.table(["ID", "STATE", "SUBMITTED (UTC)", "NAME"], rows))
    return ExitCode.SUCCESS
