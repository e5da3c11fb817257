"""`bakeoff answer`: rows of a file, answered by a generator, into a copy of the file."""

from __future__ import annotations

import argparse
import signal
import time
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING

from bakeoff.cli import output
from bakeoff.cli.arguments import Commands, add_command, add_json, add_server, add_strict
from bakeoff.cli.exit_codes import ExitCode

if TYPE_CHECKING:
    from bakeoff.cli.question_rows import QuestionRows, RowCheck
    from bakeoff.client import Client
    from bakeoff.domain.answer import CaseAnswer
    from bakeoff.domain.recipe import AnswerPart

KEYS = {"question": "question", "context": "context", "choices": "choices"}
"""Parts of a row and the columns in which they are unless told otherwise."""
ALL_CONTEXTS = 2**31 - 1  # a row's own contexts are meant to be seen
NOTE_EVERY_S = 5.0  # often enough to see that it goes on


def add(commands: Commands) -> None:
    """Add the command."""
    parser = add_command(
        commands,
        "answer",
        run,
        "answer the rows of a file, and write them with their answers into a copy",
        "Asks a platform, or an embedded one that is started in --dir. What a model said is kept there: "
        "an interrupted command that is given again asks only for the rest.",
    )
    parser.add_argument("file", type=Path, metavar="FILE", help="rows: .jsonl, .csv, .tsv or .parquet")
    parser.add_argument("--eval-type", required=True, metavar="TYPE", help="what a row is, such as key2_qa")
    parser.add_argument(
        "--generator",
        required=True,
        metavar="SPEC",
        help="""what answers, such as 'openai(base_url="http://127.0.0.1:8080/v1", model="m")'""",
    )
    for part, column in KEYS.items():
        parser.add_argument(f"--{part}-key", metavar="COLUMN", help=f"column or path of the {part} (default: {column})")
    parser.add_argument(
        "--output-key",
        default="generated_ans",
        metavar="COLUMN",
        help="column of the answers; failures go to COLUMN_error (default: generated_ans)",
    )
    parser.add_argument("--template", default="", metavar="NAME|TEXT", help="prompt template (default: by TYPE)")
    there = parser.add_mutually_exclusive_group()
    there.add_argument("--allow-overwrite", action="store_true", help="answer all rows, also those that have an answer")
    there.add_argument("--fill-missing", action="store_true", help="answer only the rows that have no answer")
    parser.add_argument(
        "--force-generate", action="store_true", help="also answer rows of types that are judged by likelihood"
    )
    parser.add_argument("--seed", type=int, default=0, help="of everything random, with the number of the row")
    parser.add_argument("--out", type=Path, metavar="COPY", help="the copy (default: FILE with .answered in its name)")
    add_strict(parser)
    add_server(parser)
    add_json(parser)


def run(args: argparse.Namespace) -> ExitCode:
    """Check the rows, have them answered, and write the copy."""
    from bakeoff.cli.answered_copy import NewColumns, check_copy, write_copy
    from bakeoff.cli.question_rows import question_rows
    from bakeoff.cli.report_files import check_writable
    from bakeoff.domain.component import ComponentSpec
    from bakeoff.domain.recipe import AnswerPart

    # As Ctrl-C, so that the children of an embedded platform are stopped.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    part = AnswerPart(ComponentSpec.parse(args.generator), ALL_CONTEXTS, args.template)
    # A part whose column nobody named is looked for under its own name, and need not be there.
    keys = {name: column for name in KEYS if (column := getattr(args, f"{name}_key")) is not None}
    rows = question_rows(
        args.file,
        args.eval_type,
        keys,
        args.output_key,
        force_generate=args.force_generate,
        allow_overwrite=args.allow_overwrite,
        fill_missing=args.fill_missing,
    )
    copy = args.out or args.file.with_name(f"{args.file.stem}.answered{args.file.suffix}")
    check_copy(rows.file, copy)
    check_writable(copy.parent)
    check = rows.check(args.template)
    if not args.json:
        for message, count in check.notes.items():
            output.note(f"{count:,} {message}")
    answers = _answers(args, part, rows, check)
    write_copy(rows.file, copy, NewColumns(rows.output_key, rows.error_key, answers))
    return _tell(args, copy, check, answers)


def _answers(args: argparse.Namespace, part: AnswerPart, rows: QuestionRows, check: RowCheck) -> dict[int, CaseAnswer]:
    """Have the rows answered, and return the answers by number of the row."""
    from bakeoff.domain.errors import BakeoffError

    answers: dict[int, CaseAnswer] = {}
    told = time.monotonic()
    if check.asked:
        _check_generator(args, part)
        with _platform(args) as client:
            for answer in client.answer_rows(part, rows, args.seed):
                answers[int(answer.case_id)] = answer
                if not args.json and time.monotonic() - told >= NOTE_EVERY_S:
                    told = time.monotonic()
                    output.note(f"{len(answers):,} of {check.asked:,} rows")
    if len(answers) != check.asked:
        raise BakeoffError(f"{check.asked:,} rows were asked, but {len(answers):,} came back; nothing was written")
    return answers


def _check_generator(args: argparse.Namespace, part: AnswerPart) -> None:
    """Make the generator where the platform is yet to be started: what is wrong with it is told before that.

    Raises:
        NotFoundError: there is none of that name.
        InvalidInputError: a setting of it is wrong, or there is a template that it would not look at.
    """
    from bakeoff.cli.server import running_embedded
    from bakeoff.inference.model_only import check_asks_no_model
    from bakeoff.inference.registries import generators
    from bakeoff.models.choice import ModelChoice
    from bakeoff.runtime.settings import Settings

    settings = Settings.from_environment()
    if not (args.server or settings.server or running_embedded(args.dir)):
        generator = generators.load(settings.plugin_modules).make(part.generator)
        if not isinstance(generator, ModelChoice):
            check_asks_no_model(part)


def _platform(args: argparse.Namespace) -> AbstractContextManager[Client]:
    from bakeoff.cli.server import connected
    from bakeoff.runtime.settings import Settings

    return connected(args.server, args.dir, Settings.from_environment(), make=True)


def _tell(args: argparse.Namespace, copy: Path, check: RowCheck, answers: dict[int, CaseAnswer]) -> ExitCode:
    failed = sum(answer.failure is not None for answer in answers.values())
    answered = len(answers) - failed
    if args.json:
        output.json_line("answered", file=str(copy), answered=answered, kept=check.kept, failed=failed)
    else:
        output.result(str(copy))
        kept = f", {check.kept:,} kept" if args.fill_missing else ""
        output.note(f"{answered:,} rows answered{kept}, {failed:,} failed")
        first = min((number for number, answer in answers.items() if answer.failure), default=None)
        if first is not None:
            failure = answers[first].failure
            output.note(f"row {first}: {failure.reason if failure else ''}")
    return ExitCode.SOME_CASES_FAILED if failed and args.strict else ExitCode.SUCCESS
