"""A report as plain text, for a terminal: its summary, or all of it."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Sequence

from bakeoff.domain.report import BenchmarkResult, Comparison, EntrantResult, EvaluationReport
from bakeoff.reporting.build_steps import BUILD_HEADER, build_rows
from bakeoff.reporting.counted import counted, macros, pooled
from bakeoff.reporting.direction import lead, marks_in_words
from bakeoff.reporting.document_findings import document_sentences
from bakeoff.reporting.index_findings import recall_sentences
from bakeoff.reporting.judging_tables import agreement, judging, judging_notes
from bakeoff.reporting.prompt_findings import prompt_sentences
from bakeoff.reporting.standings import STEPS, Glance, Standing, applicable, glances
from bakeoff.reporting.text_tables import COLUMNS, INDENT, Row, folded, table, width
from bakeoff.reporting.usage_tables import in_short, notes, sums
from bakeoff.reporting.wording import (
    interval,
    labels,
    milliseconds,
    number,
    p_number,
    provenance,
    seconds,
    shown_different,
    signed,
    size,
    verdict,
)

BEST, BEHIND = "*", "↓"
CONTROL = re.compile("[\x00-\x1f\x7f-\x9f]")
IN_INTERVAL = re.compile(r", (?=[^\[\]]*\])")
TIMES_SHOWN = (("latency", "p50"), ("latency", "p99"), ("first_token", "p50"), ("inter_token", "p50"))
"""Of the times that a model took; the page and the JSON have more."""
STEP_NAMES = {"retrieve": "retrieve", "generate": "answer"}


def render_summary(report: EvaluationReport) -> str:
    """Return what a report comes to as lines of text: each benchmark's verdict, each entrant's means and cost.

    The lines keep within 100 columns unless a name is longer.
    """
    lines = _title(report)
    for benchmark in report.benchmarks:
        lines += _verdict(report, benchmark)
        lines += _glance(report, benchmark)
    return plain_text([*lines, *_identity(report)])


def render_text(report: EvaluationReport) -> str:
    """Return a report as lines of text: the summary, all means, comparisons, failures, what models took, and times.

    The lines keep within 100 columns unless a name is longer.
    """
    lines = _title(report)
    for benchmark in report.benchmarks:
        lines += _verdict(report, benchmark)
        lines += _glance(report, benchmark)
        lines += _scores(report, benchmark)
        lines += _comparisons(report, benchmark)
        lines += _failures(report, benchmark)
    lines += _usage(report)
    lines += _judging(report)
    lines += _building(report)
    lines += _times(report)
    return plain_text([*lines, *_identity(report)])


def plain_text(lines: Sequence[str]) -> str:
    """Return lines as one text, each without control characters and ended."""
    # Names and reasons come from anywhere: none may steer the terminal.
    return "".join(CONTROL.sub(" ", line).rstrip() + "\n" for line in lines)


def _title(report: EvaluationReport) -> list[str]:
    lines = [report.name, "=" * min(width(report.name), COLUMNS), ""]
    told = provenance(report)
    return [*lines, *paragraph(told), ""] if told else lines


def _identity(report: EvaluationReport) -> list[str]:
    return [f"evaluation {report.run.evaluation_id}", f"digest     {report.digest}"]


def _verdict(report: EvaluationReport, benchmark: BenchmarkResult) -> Iterator[str]:
    said = verdict(report, benchmark)
    cases = "1 case" if benchmark.cases == 1 else f"{benchmark.cases} cases"
    documents = "1 document" if benchmark.documents == 1 else f"{benchmark.documents} documents"
    yield f"{benchmark.name}: {cases}, {documents}, split {benchmark.split}"
    yield ""
    for sentence in (said.headline, *said.others):
        yield from paragraph(sentence)
    for warning in said.warnings:
        yield from paragraph(warning, "! ")
    for each in benchmark.quality.findings:
        # All of them or none: a few of many are on the page, where they do not hide the numbers.
        which = f": {', '.join(each.examples)}" if len(each.examples) == each.count else ""
        yield from paragraph(f"data: {each.message} ({each.count} × {each.code}){which}", "! ")
    for sentence in prompt_sentences(report, benchmark):
        yield from paragraph(f"prompts of {sentence}", "! ")
    for sentence in document_sentences(report, benchmark):
        yield from paragraph(sentence, "! ")
    for sentence in recall_sentences(report, benchmark):
        yield from paragraph(sentence)
    yield ""


def paragraph(text: str, mark: str = "") -> Iterator[str]:
    """Yield the indented lines of a sentence or more, the first with a mark before it; an interval stays on one."""
    further = INDENT + " " * max(2, len(mark))
    whole = IN_INTERVAL.sub(",\0", text)  # an interval stays on one line
    lines = textwrap.wrap(
        whole, COLUMNS, initial_indent=INDENT + mark, subsequent_indent=further, break_long_words=False
    )
    yield from (line.replace("\0", " ") for line in lines)


def _glance(report: EvaluationReport, benchmark: BenchmarkResult) -> Iterator[str]:
    found = glances(report, benchmark)
    metrics = applicable(report, benchmark)
    if metrics:
        yield from folded(["entrant", *metrics], [[each.label, *map(_standing, each.standings)] for each in found])
    notes = []
    if any(standing.best for each in found for standing in each.standings):
        notes.append(marks_in_words([card for card in benchmark.metrics if card.name in metrics], BEST, BEHIND))
    idle = [card.name for card in benchmark.metrics if card.name not in metrics]
    if idle:
        notes.append(f"{', '.join(idle)}: not applicable to any case of any entrant")
    notes += [*counted(report, benchmark), *macros(report, benchmark), *pooled(report, benchmark)]
    for note in notes:
        yield from paragraph(note)
    if notes:
        yield ""
    yield from _cost(found)


def _cost(found: Sequence[Glance]) -> Iterator[str]:
    steps = [step for step in STEPS if any(step in each.times_ms for each in found)]
    taken = in_short([each.usage for each in found])
    times = [f"{STEP_NAMES[step]}, median" for step in steps]
    searched = any(each.chunks or each.size_bytes for each in found)
    header = ["entrant", "failed cases", *(["chunks", "size"] if searched else []), *times, *taken.header]
    rows = [
        [
            each.label,
            f"{each.failed_cases:,}",
            *([f"{each.chunks:,}", size(each.size_bytes)] if searched else []),
            *(milliseconds(each.times_ms.get(step)) for step in steps),
            *more,
        ]
        for each, more in zip(found, taken.rows, strict=True)
    ]
    yield from folded(header, rows)


def _standing(each: Standing) -> str:
    mark = BEST if each.best else BEHIND if each.behind else " "
    return f"{number(each.mean)} {mark}"


def _scores(report: EvaluationReport, benchmark: BenchmarkResult) -> Iterator[str]:
    counts = ("planned", "scored", "failed", "n.a.")
    header = ["metric", "entrant", "mean", "valid only", f"{report.request.options.confidence:.0%} interval", *counts]
    rows = list(_score_rows(report, benchmark))
    if rows:
        yield from table(header, rows, numbers_from=2)


def _score_rows(report: EvaluationReport, benchmark: BenchmarkResult) -> Iterator[Row]:
    names = labels(report)
    entrants = _entrants(report, benchmark)
    metrics = applicable(report, benchmark)
    for place, card in enumerate(benchmark.metrics):
        for entrant in entrants if card.name in metrics else ():
            each = entrant.metrics[place]
            counts = (each.planned, each.scored, each.failed, each.not_applicable)
            shown = card.name if entrant is entrants[0] else ""
            means = (number(each.mean), number(each.mean_scored))
            yield [shown, names[entrant.entrant], *means, interval(each.interval), *map(str, counts)]


def _entrants(report: EvaluationReport, benchmark: BenchmarkResult) -> list[EntrantResult]:
    return [entrant for entrant in report.entrants if entrant.benchmark == benchmark.name]


def _comparisons(report: EvaluationReport, benchmark: BenchmarkResult) -> Iterator[str]:
    rows = list(_comparison_rows(report, benchmark))
    if rows:
        level = f"{report.request.options.confidence:.0%} interval"
        header = ["comparison", "difference", level, "p, Holm", "won/tied/lost", "verdict"]
        yield from table(header, rows, numbers_from=1, numbers_to=5)


def _comparison_rows(report: EvaluationReport, benchmark: BenchmarkResult) -> Iterator[Row]:
    names = labels(report)
    previous = ""
    for each in report.comparisons:
        if each.benchmark != benchmark.name or not each.cases:
            continue
        if each.metric != previous:
            yield [each.metric, *[""] * 5]
        shown = shown_different(each, report.request.options.confidence)
        yield [
            f"  {names[each.entrant]} − {names[each.baseline]}",
            *difference_cells(each),
            ("ahead" if lead(benchmark, each) > 0 else "behind") if shown else "not shown",
        ]
        previous = each.metric


def difference_cells(each: Comparison) -> Row:
    """Return a comparison's difference, interval, adjusted p-value, and cases won, tied and lost, as cells."""
    counts = f"{each.wins}/{each.ties}/{each.losses}"
    return [signed(each.difference), interval(each.interval), p_number(each.p_adjusted), counts]


def _failures(report: EvaluationReport, benchmark: BenchmarkResult) -> Iterator[str]:
    failures = [each for each in report.run.failures if each.benchmark == benchmark.name]
    for each in failures:
        yield f"  failed: {each.cases} × {labels(report)[each.entrant]}, {each.kind}: {each.reason}"
        yield f"          such as {', '.join(each.examples)}"
    if failures:
        yield ""


def _usage(report: EvaluationReport) -> Iterator[str]:
    taken = sums(report, TIMES_SHOWN)
    if not taken.rows:
        return
    yield from folded(taken.header, taken.rows, names=taken.names)
    said = notes(report)
    for note in said:
        yield from paragraph(note)
    if said:
        yield ""


def _judging(report: EvaluationReport) -> Iterator[str]:
    for heading, found in (("what judging took:", judging(report)), ("judge and people:", agreement(report))):
        if found.rows:
            yield from paragraph(heading)
            yield from table(found.header, found.rows, 2)
    said = judging_notes(report)
    for note in said:
        yield from paragraph(note, "! ")
    if said:
        yield ""


def _building(report: EvaluationReport) -> Iterator[str]:
    rows = build_rows(report.run)
    if rows:
        yield from table(BUILD_HEADER, rows, 1)


def _times(report: EvaluationReport) -> Iterator[str]:
    rows = [[each.stage, str(each.items), seconds(each.busy_s), seconds(each.wall_s)] for each in report.run.stages]
    yield from table(["stage", "items", "work", "start to end"], rows, 1)
