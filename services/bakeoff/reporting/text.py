"""A report as plain text, for a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from unicodedata import east_asian_width

from bakeoff.domain.report import BenchmarkResult, EvaluationReport
from bakeoff.reporting.wording import (
    interval,
    labels,
    number,
    p_number,
    seconds,
    shown_different,
    signed,
    size,
    verdict,
)

Row = Sequence[str]
NAMED_KNOWLEDGE_BASES = 12


def render_text(report: EvaluationReport) -> str:
    """Return a report as lines of text: verdicts, means with their counts, comparisons, failures, sizes and times."""
    lines = [report.name, "=" * _width(report.name), ""]
    for benchmark in report.benchmarks:
        lines += _benchmark(report, benchmark)
    lines += _knowledge_bases(report)
    lines += _times(report)
    lines += [f"evaluation {report.run.evaluation_id}", f"digest     {report.digest}"]
    return "\n".join(line.rstrip() for line in lines) + "\n"


def _benchmark(report: EvaluationReport, benchmark: BenchmarkResult) -> Iterator[str]:
    said = verdict(report, benchmark)
    yield f"{benchmark.name}: {benchmark.cases} cases, {benchmark.documents} documents, split {benchmark.split}"
    yield ""
    yield from (f"  {sentence}" for sentence in (said.headline, *said.others))
    yield from (f"  ! {warning}" for warning in said.warnings)
    yield from (f"  ! data: {each.message} ({each.count} × {each.code})" for each in benchmark.quality.findings)
    yield ""
    yield from _table(
        ["metric", "entrant", "mean", f"{report.request.options.confidence:.0%} interval", *COUNTS],
        list(_scores(report, benchmark)),
        numbers_from=2,
    )
    compared = list(_comparisons(report, benchmark))
    if compared:
        header = [
            "metric",
            "entrant",
            "against",
            "difference",
            "interval",
            "p (Holm)",
            "won",
            "tied",
            "lost",
            "verdict",
        ]
        yield from _table(header, compared, numbers_from=3, numbers_to=9)
    failures = [each for each in report.run.failures if each.benchmark == benchmark.name]
    for each in failures:
        yield f"  failed: {each.cases} × {labels(report)[each.entrant]}, {each.kind}: {each.reason}"
        yield f"          such as {', '.join(each.examples)}"
    if failures:
        yield ""


COUNTS = ("planned", "scored", "failed", "n.a.")


def _scores(report: EvaluationReport, benchmark: BenchmarkResult) -> Iterator[Row]:
    names = labels(report)
    entrants = [entrant for entrant in report.entrants if entrant.benchmark == benchmark.name]
    for place, card in enumerate(benchmark.metrics):
        for entrant in entrants:
            each = entrant.metrics[place]
            counts = (each.planned, each.scored, each.failed, each.not_applicable)
            shown = card.name if entrant is entrants[0] else ""
            yield [shown, names[entrant.entrant], number(each.mean), interval(each.interval), *map(str, counts)]


def _comparisons(report: EvaluationReport, benchmark: BenchmarkResult) -> Iterator[Row]:
    names = labels(report)
    previous = ""
    for each in report.comparisons:
        if each.benchmark != benchmark.name or not each.cases:
            continue
        shown = shown_different(each, report.request.options.confidence)
        yield [
            "" if each.metric == previous else each.metric,
            names[each.entrant],
            names[each.baseline],
            signed(each.difference),
            interval(each.interval),
            p_number(each.p_adjusted),
            *map(str, (each.wins, each.ties, each.losses)),
            ("ahead" if each.difference > 0 else "behind") if shown else "not shown",
        ]
        previous = each.metric


def _knowledge_bases(report: EvaluationReport) -> Iterator[str]:
    rows = [
        [each.kb_id[:11], each.benchmark, str(each.documents), str(each.chunks), size(each.size_bytes), each.build]
        if not each.failed
        else [each.kb_id[:11], each.benchmark, "–", "–", "failed", each.build]
        for each in report.knowledge_bases[:NAMED_KNOWLEDGE_BASES]
    ]
    yield from _table(["knowledge base", "benchmark", "documents", "chunks", "size", "build"], rows, 2, 5)
    if len(report.knowledge_bases) > NAMED_KNOWLEDGE_BASES:
        yield f"  and {len(report.knowledge_bases) - NAMED_KNOWLEDGE_BASES} more"
        yield ""


def _times(report: EvaluationReport) -> Iterator[str]:
    rows = [[each.stage, str(each.items), seconds(each.busy_s), seconds(each.wall_s)] for each in report.run.stages]
    yield from _table(["stage", "items", "work", "start to end"], rows, 1)


def _table(header: Row, rows: Sequence[Row], numbers_from: int, numbers_to: int | None = None) -> Iterator[str]:
    """Yield an indented table; the columns from one number on, up to another, are flushed right."""
    widths = [max(map(_width, column)) for column in zip(header, *rows, strict=True)]
    right = range(len(header))[numbers_from:numbers_to]
    rule = ["─" * (width if place < len(widths) - 1 else _width(header[-1])) for place, width in enumerate(widths)]
    for row in (header, rule, *rows):
        cells = (_pad(cell, width, place in right) for place, (cell, width) in enumerate(zip(row, widths, strict=True)))
        yield "  " + "  ".join(cells)
    yield ""


def _pad(cell: str, width: int, right: bool) -> str:
    space = " " * (width - _width(cell))
    return space + cell if right else cell + space


def _width(text: str) -> int:
    """Return the columns that a text takes on a terminal."""
    return sum(2 if east_asian_width(mark) in "WF" else 1 for mark in text)
