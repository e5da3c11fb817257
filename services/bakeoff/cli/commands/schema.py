"""`bakeoff schema`: the JSON schemas of evaluation and recipe files, for editors."""

from __future__ import annotations

import argparse

from bakeoff.cli import output
from bakeoff.cli.arguments import Commands, add_command
from bakeoff.cli.exit_codes import ExitCode


def add(commands: Commands) -> None:
    """Add the command."""
    parser = add_command(
        commands,
        "schema",
        run,
        "print the JSON schema of evaluation files, or of recipe files",
        "It knows the components that are installed here, plug-ins included.",
    )
    parser.add_argument(
        "file",
        nargs="?",
        choices=["evaluation", "recipe"],
        default="evaluation",
        help="which file (default: evaluation)",
    )


def run(args: argparse.Namespace) -> ExitCode:
    """Print the schema."""
    from bakeoff.cli.json_schema import evaluation_schema, recipe_schema, written
    from bakeoff.cli.local_components import local_cards
    from bakeoff.runtime.settings import Settings

    make = recipe_schema if args.file == "recipe" else evaluation_schema
    output.result(written(make(local_cards(Settings.from_environment()))).rstrip("\n"))
    return ExitCode.SUCCESS
