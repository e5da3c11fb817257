"""`bakeoff prompt show`: exactly what a recipe's model would be told for a case."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from bakeoff.cli import output
from bakeoff.cli.arguments import Commands, add_command, add_json
from bakeoff.cli.exit_codes import ExitCode

if TYPE_CHECKING:
    from bakeoff.cli.prompt_preview import Preview


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
    if args.json:
        _print_json(shown)
    else:
        output.result("\n\n".join(_readable(shown)))
    return ExitCode.SUCCESS


def _print_json(shown: Preview) -> None:
    if shown.told is not None:
        output.json_line("prompt", request=shown.body, **shown.told.facts())
    if shown.weighed is not None:
        texts = [
            {"name": each.name, "context": each.weighing.context, "continuation": each.weighing.continuation}
            for each in shown.weighed.texts
        ]
        output.json_line("weighed", texts=texts, **shown.weighed.facts)


def _readable(shown: Preview) -> Iterator[str]:
    """Yield what is told, and what is weighed with the place where the text begins whose likelihood it is."""
    if shown.told is not None:
        prompt = shown.told.assembled.prompt
        yield from (f"[{turn.role.value}]\n{turn.content}" for turn in prompt.messages)
        if not prompt.messages:
            yield prompt.text
    if shown.weighed is not None:
        for each in shown.weighed.texts:
            yield f"[likelihood: {each.name}, {each.text!r}]\n{each.weighing.context}{each.weighing.continuation}"
