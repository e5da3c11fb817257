"""`bakeoff compare`: two reports case by case, such as today's against last week's."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from bakeoff.cli import output
from bakeoff.cli.arguments import Commands, add_command, add_json, add_server
from bakeoff.cli.exit_codes import ExitCode
from bakeoff.domain.errors import InvalidInputError

if TYPE_CHECKING:  # loaded when the command runs
    from bakeoff.domain.report import EvaluationReport
    from bakeoff.reporting.between_reports import Changes, Values

WHICH = "an evaluation's id, a report.json, its folder, or the evaluation file"


def add(commands: Commands) -> None:
    """Add the command."""
    parser = add_command(
        commands,
        "compare",
        run,
        "compare two reports case by case",
        "Entrants of one name are compared on benchmarks of one name, over the cases that both reports have.",
    )
    parser.add_argument("report", metavar="ID|FILE|DIR", help=f"the report that is looked at: {WHICH}")
    parser.add_argument("baseline", metavar="BASELINE", help="the report that it is measured against, named likewise")
    parser.add_argument("--entrant", default="", metavar="NAME", help="only this entrant of the report")
    parser.add_argument(
        "--against", default="", metavar="NAME", help="entrant of the baseline (default: that of the same name)"
    )
    add_server(parser)
    add_json(parser)


def run(args: argparse.Namespace) -> ExitCode:
    """Find both reports and their cases, compare them, and print what changed."""
    from bakeoff.reporting.between_reports import compare_cases
    from bakeoff.reporting.changes_text import render_changes

    if args.against and not args.entrant:
        raise InvalidInputError(
            "--against needs --entrant: it is the baseline's entrant that this one is measured against"
        )
    report, values = _read(args, args.report)
    baseline, baseline_values = _read(args, args.baseline)
    renamed = None
    if args.entrant:
        ours = _entrant(report, "report", args.entrant)
        renamed = {ours: _entrant(baseline, "baseline", args.against or args.entrant)}
    found = compare_cases(report, baseline, values, baseline_values, renamed)
    if not any(each.changes or each.other_methods for each in found):
        raise InvalidInputError(_nothing(report, baseline))
    if args.json:
        _print_json(report, baseline, found)
    else:
        output.result(render_changes(report, baseline, found).rstrip("\n"))
    return ExitCode.SUCCESS


def _read(args: argparse.Namespace, text: str) -> tuple[EvaluationReport, Values]:
    from bakeoff.cli.case_values import case_values
    from bakeoff.cli.found_reports import report_files
    from bakeoff.cli.report_files import read_report

    file, table = report_files(text, ["json", "csv"], server=args.server, folder=args.dir)
    report = read_report(file)
    return report, case_values(table, report)


def _entrant(report: EvaluationReport, side: str, text: str) -> str:
    """Return the entrant that is meant: by `recipe/mode`, or by the name that the report's tables show.

    Raises:
        InvalidInputError: the report has none of that name.
    """
    from bakeoff.reporting.wording import labels

    names = labels(report)
    meant = [entrant for entrant, label in names.items() if text in (entrant, label)]
    if not meant:
        raise InvalidInputError(f"the {side} has no entrant {text!r}; it has {', '.join(sorted(names))}")
    return meant[0]


def _nothing(report: EvaluationReport, baseline: EvaluationReport) -> str:
    """Return why nothing can be compared."""
    has = [
        f"the {side} has {', '.join(sorted(f'{one.entrant} on {one.benchmark}' for one in each.entrants))}"
        for side, each in (("report", report), ("baseline", baseline))
    ]
    return (
        f"no entrant is in both reports on a benchmark of one name: {'; '.join(has)}. "
        "Entrants of different names are compared with --entrant and --against"
    )


def _print_json(report: EvaluationReport, baseline: EvaluationReport, found: tuple[Changes, ...]) -> None:
    for benchmark in found:
        for change in benchmark.changes:
            output.json_line(
                "change",
                mean=change.mean,
                baseline_mean=change.baseline_mean,
                one_sided=change.one_sided,
                comparison=change.comparison,
            )
        output.json_line(
            "benchmark",
            benchmark=benchmark.benchmark,
            other_data=benchmark.other_data,
            other_methods=benchmark.other_methods,
        )
    output.json_line(
        "compared",
        evaluation_id=report.run.evaluation_id,
        baseline_evaluation_id=baseline.run.evaluation_id,
        same_digest=report.digest == baseline.digest,
    )
