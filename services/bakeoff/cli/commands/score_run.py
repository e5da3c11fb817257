"""`bakeoff score-run`: ranking measures of a TREC run against judgements."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from bakeoff.cli import output
from bakeoff.cli.arguments import Commands, add_command, add_json, at_least_one
from bakeoff.cli.exit_codes import ExitCode

if TYPE_CHECKING:
    from bakeoff.scoring.scored_run import ScoredRun

METRICS = ("ndcg(k=10)", "average_precision", "recall(k=100)", "reciprocal_rank", "precision(k=10)")


def add(commands: Commands) -> None:
    """Add the command."""
    parser = add_command(
        commands,
        "score-run",
        run,
        "score a TREC run against judgements",
        "Needs no platform. The run and the judgements may be those of `bakeoff report --export trec`, which give the "
        "report's numbers again, or anybody else's. Means are over all judged queries; one that the run lacks counts "
        "as 0.",
    )
    parser.add_argument(
        "--run", type=Path, required=True, dest="run_file", metavar="FILE", help="run: query Q0 document rank score tag"
    )
    parser.add_argument("--qrels", type=Path, required=True, metavar="FILE", help="judgements: query 0 document grade")
    parser.add_argument(
        "--metrics",
        nargs="+",
        default=METRICS,
        metavar="SPEC",
        help=f"ranking measures, such as 'ndcg(k=10)' (default: {' '.join(METRICS)})",
    )
    parser.add_argument(
        "--relevance-level",
        type=at_least_one,
        default=1,
        metavar="N",
        help="grade from which on a document is relevant (default: 1)",
    )
    parser.add_argument("--per-query", action="store_true", help="print the value of every query too")
    add_json(parser)


def run(args: argparse.Namespace) -> ExitCode:
    """Read both files, score, and print."""
    from bakeoff.domain.component import ComponentSpec
    from bakeoff.scoring.scored_run import score_run
    from bakeoff.scoring.trec_files import Notes, read_run, read_trec_qrels

    notes = Notes()
    specs = [ComponentSpec.parse(text) for text in args.metrics]
    ranked, judged = read_run(args.run_file, notes), read_trec_qrels(args.qrels, notes)
    scored = score_run(ranked, judged, specs, relevance_level=args.relevance_level)
    told = notes.told()
    if scored.missing:
        told.append(f"{len(scored.missing):,} judged queries are not in the run, and count as 0")
    if scored.unjudged:
        told.append(f"{len(scored.unjudged):,} queries of the run are not judged, and do not count")
    if args.json:
        _print_json(scored, told, per_query=args.per_query)
    else:
        for note in told:
            output.note(note)
        _print(scored, per_query=args.per_query)
    return ExitCode.SUCCESS


def _print_json(scored: ScoredRun, told: list[str], *, per_query: bool) -> None:
    if per_query:
        for metric, values in scored.values.items():
            for query, value in values.items():
                output.json_line("score", metric=metric, query=query, value=value)
    for metric, mean in scored.means.items():
        output.json_line("metric", metric=metric, mean=mean, queries=len(scored.values[metric]))
    output.json_line("scored", missing=len(scored.missing), unjudged_in_run=len(scored.unjudged), notes=told)


def _print(scored: ScoredRun, *, per_query: bool) -> None:
    rows = []
    for metric, mean in scored.means.items():
        if per_query:
            rows += [[metric, query, f"{value:.6f}"] for query, value in scored.values[metric].items()]
        rows.append([metric, "all", f"{mean:.6f}"])
    output.result(output.table(["metric", "query", "value"], rows))
