"""`bakeoff rescore`: score the stored answers of an evaluation with other methods, without asking anything again."""

from __future__ import annotations

import argparse
import signal
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from bakeoff.cli import output
from bakeoff.cli.arguments import Commands, add_command, add_fresh, add_json, add_server, add_strict
from bakeoff.cli.exit_codes import ExitCode

if TYPE_CHECKING:  # loaded when the command runs
    from bakeoff.client import Client
    from bakeoff.domain.component import ComponentSpec
    from bakeoff.domain.evaluation import EvaluationRequest


def add(commands: Commands) -> None:
    """Add the command."""
    parser = add_command(
        commands,
        "rescore",
        run,
        "score the stored answers of an evaluation with other methods",
        "Makes a new evaluation whose answers are those of the first: nothing is prepared, built, retrieved or asked "
        "again. The same methods give the same evaluation.",
    )
    parser.add_argument(
        "evaluation",
        metavar="ID|FILE|DIR",
        help="a completed evaluation's id, its report.json, the report's folder, or the evaluation file",
    )
    parser.add_argument(
        "--evaluator",
        action="append",
        required=True,
        metavar="METHOD",
        help="a method such as exact_match or 'token_f1(normaliser=\"squad\")', or its JSON; may be repeated",
    )
    how = parser.add_mutually_exclusive_group()
    how.add_argument("--replace", action="store_true", help="instead of the evaluation's own methods (default)")
    how.add_argument("--add", action="store_true", help="beside the evaluation's own methods")
    parser.add_argument("--name", default="", help="title of the report (default: the evaluation's, re-scored)")
    parser.add_argument("--out", type=Path, metavar="DIR", help="folder of the report (default: reports/NAME-ID)")
    parser.add_argument("--open", action="store_true", help="open the report in a browser")
    add_fresh(parser)
    add_strict(parser)
    add_server(parser)
    add_json(parser)


def run(args: argparse.Namespace) -> ExitCode:
    """Check the methods, ask for the re-scoring, follow it, and bring its report home."""
    from bakeoff.cli.evaluator_arguments import check_evaluators, read_evaluator
    from bakeoff.cli.finishing import finish
    from bakeoff.cli.following import follow
    from bakeoff.cli.progress import make_progress
    from bakeoff.cli.report_files import check_writable, default_folder
    from bakeoff.cli.server import connected
    from bakeoff.runtime.settings import Settings

    # As Ctrl-C, so that the children of an embedded platform are stopped.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    settings = Settings.from_environment()
    methods = tuple(read_evaluator(text) for text in args.evaluator)
    check_evaluators(methods, plugins=settings.plugin_modules)
    check_writable(args.out or Path("reports"))
    with connected(args.server, args.dir, settings, start=True) as client:
        status, created = client.submit(_request(args, methods, client))
        if args.json:
            output.json_line("submitted", evaluation_id=status.evaluation_id, state=status.state, created=created)
        elif not created:
            output.note(
                f"this re-scoring is known as {status.evaluation_id} ({status.state.value}); --fresh makes a new one"
            )
        ended = follow(client, status.evaluation_id, make_progress(as_json=args.json))
        folder = args.out or default_folder(f"{status.name} {status.evaluation_id}")
        return finish(client, ended, folder, as_json=args.json, strict=args.strict, show=args.open)


def _request(args: argparse.Namespace, methods: Sequence[ComponentSpec], client: Client) -> EvaluationRequest:
    import secrets

    from bakeoff.cli.evaluator_arguments import check_evaluators
    from bakeoff.cli.found_reports import evaluation_meant
    from bakeoff.domain.evaluation import EvaluationRequest, EvaluationState, Rescoring

    first = client.get(evaluation_meant(args.evaluation))
    if args.add and first.state is EvaluationState.COMPLETED:
        for kept in _methods(client, first.evaluation_id):
            check_evaluators(methods, kept)
    return EvaluationRequest(
        args.name,
        (),
        (),
        tenant=first.tenant,
        idempotency_key=f"rescore-{secrets.token_hex(16)}" if args.fresh else "",
        rescoring=Rescoring(first.evaluation_id, tuple(methods), args.add),
    )


def _methods(client: Client, evaluation_id: str) -> list[list[ComponentSpec]]:
    """Return the methods that an evaluation was scored with, for each of its benchmarks."""
    from bakeoff.domain.component import ComponentSpec
    from bakeoff.reporting.load import load_report

    report = load_report(b"".join(client.report_file(evaluation_id, "json")))
    return [
        [ComponentSpec.parse(text) for text in dict.fromkeys(card.evaluator for card in benchmark.metrics)]
        for benchmark in report.benchmarks
    ]
