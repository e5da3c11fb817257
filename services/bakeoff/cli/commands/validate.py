"""`bakeoff validate`: is an evaluation file right, and are its sources there."""

from __future__ import annotations

import argparse
from pathlib import Path

from bakeoff.cli import output
from bakeoff.cli.arguments import Commands, add_command, add_json
from bakeoff.cli.exit_codes import ExitCode


def add(commands: Commands) -> None:
    """Add the command."""
    parser = add_command(
        commands,
        "validate",
        run,
        "check an evaluation file without running it",
        "Finds unknown keys and components, settings out of range, and local data that is not there.",
    )
    parser.add_argument("file", type=Path, metavar="FILE", help="evaluation file (YAML)")
    add_json(parser)


def run(args: argparse.Namespace) -> ExitCode:
    """Check the file."""
    from bakeoff.cli.requests import read_request
    from bakeoff.domain.recipe import Entrant
    from bakeoff.preparation.check import decisions
    from bakeoff.runtime.settings import Settings

    settings = Settings.from_environment()
    request = read_request(args.file, settings).request
    decided = [decisions(choice, settings) for choice in request.benchmarks]
    entrants = [str(Entrant.of(recipe, mode)) for recipe in request.recipes for mode in recipe.modes]
    if args.json:
        output.json_line("valid", request=request, entrants=entrants, decisions=decided)
        return ExitCode.SUCCESS
    output.result(f"{args.file} is valid: {request.name!r}")
    for choice, told in zip(request.benchmarks, decided, strict=True):
        limit = f", first {choice.limit} cases" if choice.limit else ""
        output.result(f"  benchmark {choice.name or choice.adapter.name}: {choice.adapter}{limit}")
        for each in told:
            output.result(f"    told by its name: {each}")
    for entrant in entrants:
        output.result(f"  entrant {entrant}")
    return ExitCode.SUCCESS
