"""`bakeoff cancel`, `pause` and `resume`: steer an evaluation of a running platform."""

from __future__ import annotations

import argparse

from bakeoff.cli import output
from bakeoff.cli.arguments import Commands, add_command, add_json, add_server, at_least_one
from bakeoff.cli.exit_codes import ExitCode


def add(commands: Commands) -> None:
    """Add the commands."""
    summaries = {
        "cancel": ("stop an evaluation", "Finished work stays; submitting the file again takes it up."),
        "pause": ("release no more work of an evaluation", "Items that run are finished. `resume` takes it up."),
        "resume": ("take up a paused evaluation, or change its concurrency", ""),
    }
    for name, (summary, more) in summaries.items():
        parser = add_command(commands, name, run, summary, more)
        parser.set_defaults(step=name)
        parser.add_argument("evaluation_id", metavar="ID", help="id of the evaluation")
        if name == "cancel":
            parser.add_argument("--reason", default="", help="why; shown with the evaluation")
        if name == "resume":
            parser.add_argument(
                "--concurrency", type=at_least_one, metavar="N", help="items of one stage at once, from 1"
            )
        add_server(parser)
        add_json(parser)


def run(args: argparse.Namespace) -> ExitCode:
    """Take the step and print how the evaluation stands."""
    from bakeoff.cli.progress import one_line, status_facts
    from bakeoff.cli.server import connected
    from bakeoff.runtime.settings import Settings

    with connected(args.server, args.dir, Settings.from_environment()) as client:
        if args.step == "cancel":
            status = client.cancel(args.evaluation_id, args.reason)
        elif args.step == "pause":
            status = client.pause(args.evaluation_id)
        else:
            status = client.resume(args.evaluation_id, args.concurrency)
    if args.json:
        output.json_line("evaluation", **status_facts(status))
    else:
        output.result(one_line(status))
    return ExitCode.SUCCESS
