"""What judging models took and how far they agree with people, as columns of words."""

from __future__ import annotations

from collections.abc import Iterator

from bakeoff.domain.report import EvaluationReport, JudgeAgreement
from bakeoff.reporting.usage_tables import UsageTable
from bakeoff.reporting.wording import count, labels, money, number

LOW_AGREEMENT = 0.667
"""Krippendorff's alpha below which he would draw no conclusion (Content Analysis, 2004, p. 241)."""


def judging(report: EvaluationReport) -> UsageTable:
    """Return what judging took, a row for each metric and entrant; without rows when no model judged."""
    names = labels(report)
    # An entrant that is the opponent itself has nothing to be judged.
    found = [each for each in report.run.judging if each.judged]
    header = ["metric", "entrant", "judged", "failed"]
    if any(each.order_dependent for each in found):
        header.append("by order")
    header += ["answers", "stored", "tokens in", "tokens out"]
    if any(each.cost is not None for each in found):
        header.append("cost")
    rows = []
    for each in found:
        cells = {
            "metric": each.metric,
            "entrant": names[each.entrant],
            "judged": count(each.judged),
            "failed": count(each.failures),
            "by order": count(each.order_dependent),
            "answers": count(each.answers),
            "stored": count(each.stored),
            "tokens in": count(each.tokens_in),
            "tokens out": count(each.tokens_out),
            "cost": money(each.cost),
        }
        rows.append(tuple(cells[name] for name in header))
    return UsageTable(tuple(header), tuple(rows))


def agreement(report: EvaluationReport) -> UsageTable:
    """Return how far judges agree with people, a row for each metric and entrant; without rows without labels."""
    names = labels(report)
    header = ("metric", "entrant", "cases", "equal", "kappa", "weighted", "alpha", "AC1", "failed")
    return UsageTable(
        header,
        tuple(
            (
                each.metric,
                names[each.entrant],
                count(each.cases),
                *(number(value) for value in (each.share, each.kappa, each.weighted_kappa, each.alpha, each.ac1)),
                count(each.judge_failures),
            )
            for each in report.agreements
        ),
    )


def judging_notes(report: EvaluationReport) -> tuple[str, ...]:
    """Return what must be known to read what judges said; empty when none judged, or all is well."""
    return tuple(note for each in report.agreements for note in _notes(each, labels(report)[each.entrant]))


def _notes(each: JudgeAgreement, entrant: str) -> Iterator[str]:
    which = f"{each.metric} of {entrant}"
    if not each.cases:
        yield f"{which}: no case has both a person's rating and the judge's."
    if each.bad_labels:
        plural = "s" if each.bad_labels > 1 else ""
        yield f"{which}: {count(each.bad_labels)} label{plural} that are no rating of the scale were left out."
    if each.only_people:
        yield f"{which}: the judge has no rating for {count(each.only_people)} of the cases that people have rated."
    if each.alpha is not None and each.alpha < LOW_AGREEMENT:
        yield (
            f"{which}: alpha is {number(each.alpha)}, and below {LOW_AGREEMENT} little can be concluded from a judge "
            "that agrees so little with people."
        )
