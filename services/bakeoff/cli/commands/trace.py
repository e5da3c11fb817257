"""`bakeoff trace`: from an answer to the bytes that it rests on, and from a page to the answers that used it."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from bakeoff.cli import output
from bakeoff.cli.arguments import Commands, add_command, add_json, add_server, at_least_one
from bakeoff.cli.exit_codes import ExitCode
from bakeoff.domain.errors import InvalidInputError, NotFoundError

if TYPE_CHECKING:
    from bakeoff.cli.originals_again import OriginalsAgain
    from bakeoff.client import Client
    from bakeoff.domain.trace import DocumentUse, TracedAnswer

PASSAGES = 5
MEANT = "an evaluation's id, its report.json, the report's folder, or the evaluation file"


def add(commands: Commands) -> None:
    """Add the command."""
    parser = add_command(
        commands,
        "trace",
        run,
        "show what an answer rests on, or which answers used a document",
        "With a case: each passage's place in the parsed text, its pages, its document, the original in raw storage "
        "with its digest, and the benchmark's revision. With --document: the answers that used it, or a page of it.",
    )
    parser.add_argument("evaluation", nargs="?", default="", metavar="ID|FILE|DIR", help=MEANT)
    parser.add_argument("case", nargs="?", default="", metavar="CASE", help="id of the case whose answers are traced")
    parser.add_argument(
        "--entrant", default="", metavar="RECIPE[/MODE]", help="only this entrant's answers, or those of all its modes"
    )
    parser.add_argument("--benchmark", default="", metavar="NAME", help="only the case of this benchmark")
    parser.add_argument(
        "--passages",
        type=at_least_one,
        metavar="N",
        help=f"first passages of each answer (default: {PASSAGES}; with --document all)",
    )
    parser.add_argument(
        "--check", action="store_true", help="fetch the originals, parse them again, and compare; exit with 1 when not"
    )
    parser.add_argument(
        "--document",
        default="",
        metavar="DOC",
        help="show the answers that used it; without ID or FILE, of all evaluations",
    )
    parser.add_argument("--page", type=at_least_one, metavar="N", help="with --document: only this page, from 1")
    add_server(parser)
    add_json(parser)


def run(args: argparse.Namespace) -> ExitCode:
    """Trace a case or a document."""
    from bakeoff.cli.found_reports import evaluation_meant
    from bakeoff.cli.server import connected
    from bakeoff.runtime.settings import Settings

    _check(args)
    if args.evaluation:
        args.evaluation = evaluation_meant(args.evaluation)
    settings = Settings.from_environment()
    with connected(args.server, args.dir, settings, start=True) as client:
        return _document(args, client) if args.document else _case(args, client, settings.plugin_modules)


def _check(args: argparse.Namespace) -> None:
    if args.document and (args.case or args.entrant or args.benchmark or args.check):
        raise InvalidInputError(
            "--document asks which answers used it: CASE, --entrant, --benchmark and --check do not go with it"
        )
    if not args.document and args.page:
        raise InvalidInputError("--page needs --document: a page of which document?")
    if not args.document and not (args.evaluation and args.case):
        raise InvalidInputError("name an evaluation and a case, or a document with --document")


def _case(args: argparse.Namespace, client: Client, plugins: Sequence[str]) -> ExitCode:
    from bakeoff.cli.originals_again import OriginalsAgain
    from bakeoff.cli.trace_text import answer_lines

    again = OriginalsAgain(client, plugins) if args.check else None
    wrong = 0
    answers = client.trace_case(
        args.evaluation,
        args.case,
        benchmark=args.benchmark,
        entrant=args.entrant,
        passages=args.passages or PASSAGES,
    )
    for traced in answers:
        problems = _problems(again, traced) if again else None
        wrong += sum(map(bool, problems.values())) if problems else 0
        if args.json:
            output.json_line("answer", **_facts(traced, problems))
        else:
            output.result("\n".join(answer_lines(traced, problems)))
    if wrong and not args.json:
        output.note(f"{wrong} passages are not what their originals say")
    return ExitCode.FAILED if wrong else ExitCode.SUCCESS


def _problems(again: OriginalsAgain, traced: TracedAnswer) -> dict[str, str]:
    return {passage.chunk_id: again.problem(traced, passage) for passage in traced.answer.passages}


def _facts(traced: TracedAnswer, problems: dict[str, str] | None) -> dict[str, object]:
    checked = {} if problems is None else {"problems": {chunk: said for chunk, said in problems.items() if said}}
    return {"traced": traced, "checked": problems is not None, **checked}


def _document(args: argparse.Namespace, client: Client) -> ExitCode:
    from bakeoff.cli.trace_text import uses_table

    found = _uses(args, client)
    if args.json:
        for evaluation, use in found:
            output.json_line("use", evaluation=evaluation, use=use)
        return ExitCode.SUCCESS
    uses = list(found)
    output.result(uses_table(uses) if uses else "no answer used it")
    return ExitCode.SUCCESS


def _uses(args: argparse.Namespace, client: Client) -> Iterator[tuple[str, DocumentUse]]:
    for evaluation, use in _all_uses(args, client):
        if args.passages is None or use.rank <= args.passages:
            yield evaluation, use


def _all_uses(args: argparse.Namespace, client: Client) -> Iterator[tuple[str, DocumentUse]]:
    page = None if args.page is None else args.page - 1
    if args.evaluation:
        yield from ((args.evaluation, use) for use in client.document_uses(args.evaluation, args.document, page))
        return
    known = False
    for status in client.evaluations():
        try:
            for use in client.document_uses(status.evaluation_id, args.document, page):
                yield status.evaluation_id, use
            known = True
        except NotFoundError:  # it has no such document, is not planned yet, or gone
            continue
    if not known:
        raise NotFoundError(f"no evaluation has a document {args.document!r}")
