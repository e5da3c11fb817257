"""`bakeoff watch`: follow an evaluation of a running platform."""

from __future__ import annotations

import argparse

from bakeoff.cli.arguments import Commands, add_command, add_json, add_server
from bakeoff.cli.exit_codes import ExitCode


def add(commands: Commands) -> None:
    """Add the command."""
    parser = add_command(commands, "watch", run, "follow an evaluation until it ended")
    parser.add_argument("evaluation_id", metavar="ID", help="id of the evaluation, as `submit` and `list` print it")
    add_server(parser)
    add_json(parser)


def run(args: argparse.Namespace) -> ExitCode:
    """Follow the evaluation; its end decides the exit code."""
    from bakeoff.cli.following import follow
    from bakeoff.cli.progress import make_progress, tell_outcome
    from bakeoff.cli.server import connected
    from bakeoff.domain.evaluation import EvaluationState
    from bakeoff.runtime.settings import Settings

    with connected(args.server, args.dir, Settings.from_environment()) as client:
        ended = follow(client, args.evaluation_id, make_progress(as_json=args.json))
    tell_outcome(ended, as_json=args.json)
    return ExitCode.SUCCESS if ended.state is EvaluationState.COMPLETED else ExitCode.FAILED
