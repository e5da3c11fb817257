"""`bakeoff prompt show`: exactly what a recipe's model would be told for a case."""

from __future__ import annotations

import argparse
from pathlib import Path

from bakeoff.cli import output
from bakeoff.cli.arguments import Commands, add_command, add_json
from bakeoff.cli.exit_codes import ExitCode


def add(commands: Commands) -> None:
    """Add the command."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "prompt",
        help="show what a recipe's model would be told for a case",
        description="Looks at prompts without asking a model.",
    )
    parser.set_defaults(run=run)
    inner = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    show = add_command(
        inner,
        "show",
        run,
        "print exactly what would be sent for a case",
        "Reads the benchmark here and needs no platform; so it can show only recipes without `query`, whose prompts "
        "have no retrieved passages.",
    )
    show.add_argument("file", type=Path, metavar="FILE", help="evaluation file (YAML)")
    show.add_argument("recipe", metavar="RECIPE", help="name of a recipe in it")
    show.add_argument("case", metavar="CASE", help="id of a case of one of its benchmarks")
    add_json(show)


def run(args: argparse.Namespace) -> ExitCode:
    """Prepare the benchmark, make the prompt, and print it."""
    from bakeoff.cli.prompt_preview import preview
    from bakeoff.cli.requests import read_request
    from bakeoff.runtime.settings import Settings

    settings = Settings.from_environment()
    shown = preview(read_request(args.file, settings).request, args.recipe, args.case, settings)
    prompt = shown.told.assembled.prompt
    if args.json:
        output.json_line("prompt", request=shown.body, **shown.told.facts())
    elif prompt.messages:
        output.result("\n\n".join(f"[{turn.role.value}]\n{turn.content}" for turn in prompt.messages))
    else:
        output.result(prompt.text)
    return ExitCode.SUCCESS
