"""Groups of cases that count alike, such as the subjects of an exam."""

from __future__ import annotations

from collections.abc import Sequence

from bakeoff.domain.benchmark import BenchmarkManifest, Case
from bakeoff.reporting.statistics import mean

MACRO_BY = "macro_by"
"""Key of a manifest's metadata that names the label by which its cases are grouped."""


def groups_of(benchmark: BenchmarkManifest, cases: Sequence[Case]) -> tuple[str, ...]:
    """Return the group of each case; empty when the benchmark names no grouping. Cases without it are one group."""
    label = benchmark.metadata.get(MACRO_BY)
    return tuple(case.labels.get(label, "") for case in cases) if isinstance(label, str) and label else ()


def macro_mean(groups: Sequence[str], values: Sequence[float | None]) -> float | None:
    """Return the mean over groups of the means within each.

    Args:
        groups: The group of each case; empty for none.
        values: One for each case, failed ones as 0, None where the metric is not applicable.

    Returns:
        None without groups or where nothing is applicable; a group in which nothing is does not count.

    Source: the average over subjects of Hendrycks et al. 2021, arXiv:2009.03300, and Li et al. 2023, arXiv:2306.09212;
        the mean over all cases is their micro average.
    """
    if not groups:
        return None
    within: dict[str, list[float]] = {}
    for group, value in zip(groups, values, strict=True):
        if value is not None:
            within.setdefault(group, []).append(value)
    return mean([mean(each) for each in within.values()]) if within else None
