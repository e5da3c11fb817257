"""The changes between two reports as plain text, for a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from bakeoff.domain.report import BenchmarkResult, EvaluationReport
from bakeoff.reporting.between_reports import Change, Changes
from bakeoff.reporting.direction import lead
from bakeoff.reporting.text import difference_cells, paragraph, plain_text
from bakeoff.reporting.text_tables import Row, table
from bakeoff.reporting.wording import labels, number, shown_different


def render_changes(report: EvaluationReport, baseline: EvaluationReport, found: Sequence[Changes]) -> str:
    """Return the changes as lines of text, which keep within 100 columns unless a name is longer."""
    lines = [
        f"report    {report.run.evaluation_id}  {report.name}",
        f"baseline  {baseline.run.evaluation_id}  {baseline.name}",
        "",
    ]
    if report.digest == baseline.digest:
        lines += paragraph(f"Both have the digest {report.digest}: the same numbers.")
        lines.append("")
    benchmarks = {each.name: each for each in report.benchmarks}
    for each in found:
        lines += _benchmark(report, baseline, benchmarks[each.benchmark], each)
    return plain_text(lines)


def _benchmark(
    report: EvaluationReport, baseline: EvaluationReport, benchmark: BenchmarkResult, found: Changes
) -> Iterator[str]:
    yield found.benchmark
    yield ""
    if found.other_data:
        yield from paragraph(
            "its data are not the baseline's: compared are the cases that both have, by unit and id", "! "
        )
    if found.other_methods:
        names = ", ".join(found.other_methods)
        yield from paragraph(f"scored by another method than in the baseline, and so not compared: {names}", "! ")
    counts = sorted({each.comparison.cases for each in found.changes if each.comparison.cases})
    if counts:
        of = f"{counts[0]:,}" if len(counts) == 1 else f"{counts[0]:,} to {counts[-1]:,}"
        yield from paragraph(f"cases that count in both, of each metric: {of}")
    left = max((each.one_sided for each in found.changes), default=0)
    if left:
        yield from paragraph(f"up to {left:,} cases of a metric count in one of the two alone, and are left out", "! ")
    yield ""
    rows = list(_rows(report, baseline, benchmark, found.changes))
    if rows:
        level = f"{report.request.options.confidence:.0%} interval"
        header = ["metric", "baseline", "report", "change", level, "p, Holm", "won/tied/lost", "verdict"]
        yield from table(header, rows, numbers_from=1, numbers_to=7)
    else:
        yield from paragraph("no case of an entrant that both have counts in both")
        yield ""


def _rows(
    report: EvaluationReport, baseline: EvaluationReport, benchmark: BenchmarkResult, changes: Sequence[Change]
) -> Iterator[Row]:
    names, names_before = labels(report), labels(baseline)
    previous = ""
    for change in changes:
        each = change.comparison
        if not each.cases:
            continue
        if each.metric != previous:
            yield [each.metric, *[""] * 7]
        shown = shown_different(each, report.request.options.confidence)
        name, before = names[each.entrant], names_before[each.baseline]
        yield [
            f"  {name}" if each.entrant == each.baseline else f"  {name} − {before}",
            number(change.baseline_mean),
            number(change.mean),
            *difference_cells(each),
            ("better" if lead(benchmark, each) > 0 else "worse") if shown else "not shown",
        ]
        previous = each.metric
